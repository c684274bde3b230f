# After the page: the build finds the new family and compiles it. Only that folder is configured, with the
# rest of the executor left out: the page's own command compiles all of it.
cat > CMakeLists.txt << 'TXT'
cmake_minimum_required(VERSION 3.25)
project(page LANGUAGES CXX)
function(troupe_add_plugin)
  add_library(plugin_executor_transformer_objects OBJECT architectures/my_family.cpp)
  target_include_directories(plugin_executor_transformer_objects PRIVATE ${PROJECT_SOURCE_DIR}/build/release/include)
  target_compile_features(plugin_executor_transformer_objects PRIVATE cxx_std_20)
  target_compile_options(plugin_executor_transformer_objects PRIVATE -Wall -Wextra -Wpedantic -Werror)
endfunction()
add_subdirectory(plugins/executor/transformer)
TXT
cmake -S . -B build/page -G Ninja > configure.log || { cat configure.log; exit 1; }
grep -qxF 'TROUPE_ARCHITECTURE(my_family)' build/page/plugins/executor/transformer/architecture_list.inc
cmake --build build/page --target plugin_executor_transformer_objects
