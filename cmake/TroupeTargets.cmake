include(TroupePlugin)

# troupe_add_library(NAME [LINK public...] [PRIVATE private...] [SDK]): one layer of runtime/ as the shared
# library troupe_NAME (troupe::NAME), from every .cpp below this folder, with its tests. With SDK, plugins
# outside this tree may use it: its headers are installed and its target is exported.
function(troupe_add_library name)
  cmake_parse_arguments(arg "SDK" "" "LINK;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  add_library(troupe_${name} SHARED ${sources})
  add_library(troupe::${name} ALIAS troupe_${name})
  target_link_libraries(troupe_${name} PUBLIC troupe_api ${arg_LINK} PRIVATE ${arg_PRIVATE})
  set_target_properties(troupe_${name} PROPERTIES
    EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
  if(arg_SDK)
    install(TARGETS troupe_${name} EXPORT troupe LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/troupe/${name}
      FILES_MATCHING PATTERN "*.h")
  else()
    install(TARGETS troupe_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  if(TROUPE_TESTS AND tests)
    troupe_add_test_executable(troupe_${name} "${tests}" troupe_${name} ${arg_PRIVATE})
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
