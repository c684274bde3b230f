# For plugins, in this tree and outside it: find_package(troupe) includes this file.
include(GNUInstallDirs)
include(GoogleTest)

# troupe_add_test_executable(TARGET "SOURCES" LINK...)
function(troupe_add_test_executable target sources)
  add_executable(${target}_test ${sources})
  target_link_libraries(${target}_test PRIVATE ${ARGN} GTest::gtest GTest::gmock GTest::gtest_main)
  # Tests are compiled more often than they are run for long.
  target_compile_options(${target}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${target}_test PRIVATE
    TROUPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TROUPE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set_target_properties(${target}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${target}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX "${target}: "
    PROPERTIES TIMEOUT 900)  # for what hangs, not for what is slow on a busy machine
endfunction()

# troupe_add_plugin(KIND NAME [LINK lib...]): the plugin lib/troupe/plugins/KIND/NAME.so from the .cpp files
# below this folder, with its tests. The tests compile the plugin's sources and load nothing.
function(troupe_add_plugin kind name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(target plugin_${kind}_${name})
  # Compiled once, for the library and for its tests.
  add_library(${target}_objects OBJECT ${sources})
  target_link_libraries(${target}_objects PUBLIC troupe::api ${arg_LINK})
  target_compile_definitions(${target}_objects PRIVATE TROUPE_PLUGIN_BUILD="${PROJECT_NAME} ${PROJECT_VERSION}")
  set_target_properties(${target}_objects PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  add_library(${target} MODULE)
  target_link_libraries(${target} PRIVATE ${target}_objects)
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/troupe/plugins/${kind}
    INSTALL_RPATH "$ORIGIN/../../..")
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/troupe/plugins/${kind})
  set_property(GLOBAL APPEND PROPERTY TROUPE_PLUGINS ${target})
  if(TROUPE_TESTS AND tests)
    troupe_add_test_executable(${target} "${tests}" ${target}_objects troupe::testing)
  endif()
endfunction()
