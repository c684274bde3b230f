# After the page: the build finds the new kernel, and its tests pass. The other kernels are left out, which
# the page's own command compiles too.
find kernels -mindepth 1 -maxdepth 1 -type d -not -name layer_norm -exec rm -r {} +
cat > CMakeLists.txt << 'TXT'
cmake_minimum_required(VERSION 3.25)
project(page VERSION 0.1.0 LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(GNUInstallDirs)
find_package(GTest REQUIRED)
include(${SOURCE_DIR}/cmake/TroupePlugin.cmake)
enable_testing()
set(TROUPE_TESTS ON)
add_library(troupe_api INTERFACE)
target_include_directories(troupe_api INTERFACE ${PROJECT_SOURCE_DIR}/build/release/include)
add_library(troupe_device INTERFACE)
add_subdirectory(kernels)
TXT
cmake -S . -B build/page -G Ninja -DSOURCE_DIR="$source_dir" > configure.log || { cat configure.log; exit 1; }
cmake --build build/page --target troupe_kernels_test
build/page/tests/troupe_kernels_test --gtest_filter='LayerNorm*' | tee tests.log
grep -q 'PASSED.*[1-9] test' tests.log
