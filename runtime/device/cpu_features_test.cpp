#include "troupe/device/cpu_features.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

TEST(CpuFeatures, TakeEachLevelByItsNameAndNoOther) {
  EXPECT_TRUE(check_cpu_request(nullptr));
  for (const auto level :
       {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512, CpuLevel::avx512_vnni})
    EXPECT_TRUE(check_cpu_request(std::string(to_string(level)).c_str()));
  for (const char* wish : {"", "AVX2", "avx513"}) {
    const auto checked = check_cpu_request(wish);
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message().find("expected portable, avx2, avx512 or avx512_vnni"),
              std::string::npos);
  }
}

TEST(CpuFeatures, ReportALevelThisProcessorHas) {
  EXPECT_GE(cpu_level(), CpuLevel::portable);
  EXPECT_LE(cpu_level(), CpuLevel::avx512_vnni);
  EXPECT_TRUE(!cpu_has_avx512_bf16() || cpu_level() == CpuLevel::avx512_vnni);
}

}  // namespace
}  // namespace troupe
