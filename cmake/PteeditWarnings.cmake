# One set of warnings for all of our own code.
function(pteedit_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                                           -Wold-style-cast -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict) # gcc 12, -O3: sees overlaps in std::string's + that are not there
  endif()
  target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
  if(PTEEDIT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
