include(GoogleTest)

# troupe_add_library(NAME [LINK public...] [PRIVATE private...]): one layer of runtime/ as the shared
# library troupe_NAME (troupe::NAME), from every .cpp below this folder, with its tests.
function(troupe_add_library name)
  cmake_parse_arguments(arg "" "" "LINK;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  add_library(troupe_${name} SHARED ${sources})
  add_library(troupe::${name} ALIAS troupe_${name})
  target_link_libraries(troupe_${name} PUBLIC troupe_api ${arg_LINK} PRIVATE ${arg_PRIVATE})
  set_target_properties(troupe_${name} PROPERTIES
    EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
  install(TARGETS troupe_${name} EXPORT troupe LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  if(TROUPE_TESTS AND tests)
    troupe_add_test_executable(troupe_${name} "${tests}" troupe_${name} ${arg_PRIVATE})
  endif()
endfunction()

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
    PROPERTIES TIMEOUT 300)
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
  target_link_libraries(${target}_objects PUBLIC troupe_api ${arg_LINK})
  target_compile_definitions(${target}_objects PRIVATE TROUPE_PLUGIN_BUILD="${PROJECT_VERSION}")
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
    troupe_add_test_executable(${target} "${tests}" ${target}_objects troupe_testing)
  endif()
endfunction()

# troupe_add_subfolders(DEPTH): every folder below this one, DEPTH levels down, that has a CMakeLists.txt;
# a new plugin or kernel edits no list.
function(troupe_add_subfolders depth)
  string(REPEAT "/*" ${depth} pattern)
  file(GLOB lists CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}${pattern}/CMakeLists.txt)
  foreach(list IN LISTS lists)
    get_filename_component(folder ${list} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()
