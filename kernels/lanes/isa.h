#pragma once

// The instruction set this translation unit is compiled for. One source of a kernel is compiled
// once per instruction set; everything it defines inline lies in `inline namespace TROUPE_ISA`, so
// that the linker never merges code for a newer processor into the portable build.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TROUPE_ISA avx512
#define TROUPE_ISA_AVX512 1
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define TROUPE_ISA avx2
#define TROUPE_ISA_AVX2 1
#else
#define TROUPE_ISA portable
#endif
