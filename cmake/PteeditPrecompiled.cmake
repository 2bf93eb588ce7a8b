# What most files include is compiled once for a target: half of a build's time is reading headers. Every file still
# includes what it uses, which tests/headers looks after.
function(pteedit_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cstdint> <cstring> <functional> <limits> <map> <memory>
                                              <optional> <set> <span> <string> <string_view> <tuple> <utility>
                                              <variant> <vector> ${ARGN})
  pteedit_precompiled_warnings(${target})
endfunction()

# The same of a target that is compiled in the same way.
function(pteedit_precompile_as other target)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS) # or CMake warns
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
  pteedit_precompiled_warnings(${target})
endfunction()

# From what is precompiled gcc 12 warns of its own std::string, which it would not from a system's header.
function(pteedit_precompiled_warnings target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
  endif()
endfunction()

# Where CMAKE_UNITY_BUILD is on, each of these folders is compiled as one file: half of what a build takes, a fifth for
# tests. So the names in the anonymous namespaces of a folder have to differ, or, as in tests, each file is in a namespace of
# its own. The presets "debug" and "asan" compile each file alone.
function(pteedit_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP UNITY_BUILD_RELOCATABLE ON)
  foreach(folder ${ARGN})
    get_filename_component(path ${folder} ABSOLUTE)
    file(GLOB sources CONFIGURE_DEPENDS ${path}/*.cc)
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
