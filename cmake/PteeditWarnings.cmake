# One set of warnings for all of our own code.
function(pteedit_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                                           -Wold-style-cast -Woverloaded-virtual)
  target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
  if(PTEEDIT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
