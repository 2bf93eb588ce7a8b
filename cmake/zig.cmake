# What toolchain files for other systems have in common: the compiler, and the libraries of scripts/cross_libraries.sh.
set(cross ${CMAKE_CURRENT_LIST_DIR}/../build/cross)
set(zig ${cross}/python/ziglang/zig)
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "${zig} ar qc <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_APPEND "${zig} ar q <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "${zig} ranlib <TARGET>")
endforeach()
set(CMAKE_C_COMPILER ${zig} cc -target ${zig_target})
# As one word, which ccache takes for the clang that it is; the text is the same wherever the checkout lies.
set(CMAKE_CXX_COMPILER ${cross}/${zig_target}/clang++)
execute_process(COMMAND ${zig} version OUTPUT_VARIABLE zig_version OUTPUT_STRIP_TRAILING_WHITESPACE)
file(CONFIGURE OUTPUT ${CMAKE_CXX_COMPILER} @ONLY CONTENT [[#!/bin/sh
# @zig_version@
exec "${0%/*}/../python/ziglang/zig" c++ -target @zig_target@ "$@"
]])
file(CHMOD ${CMAKE_CXX_COMPILER} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(PTEEDIT_CCACHE_SETTINGS CCACHE_COMPILERCHECK=content)
set(CMAKE_RC_COMPILER ${zig})
set(CMAKE_RC_COMPILE_OBJECT "${zig} rc /fo <OBJECT> <SOURCE>")
set(CMAKE_RC_OUTPUT_EXTENSION .res)
set(CMAKE_FIND_ROOT_PATH ${cross}/${zig_target} ${cross}/headers/usr)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${cross}/${zig_target}/include) # which CMake takes for known on macOS
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind INCLUDE LIBRARY PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(PTEEDIT_LICENSES ${cross}/${zig_target}/licenses) # of what is linked inside
