# What shells complete of a tool's command line, made of its --help and so of its table of options. A cross build runs the
# tool in the emulator of its toolchain file.
function(pteedit_completions tool)
  if(PTEEDIT_PYTHON OR NOT UNIX OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
    return()
  endif()
  set(script ${PROJECT_SOURCE_DIR}/scripts/completions)
  set(folder ${PROJECT_BINARY_DIR}/tools/completions)
  set(outputs ${folder}/${tool}.bash ${folder}/_${tool} ${folder}/${tool}.fish)
  add_custom_command(OUTPUT ${outputs} DEPENDS ${tool} ${script}.sh ${script}.awk
                     COMMAND ${script}.sh ${folder} ${tool} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${tool}>
                     COMMENT "Writing what shells complete of ${tool}")
  add_custom_target(${tool}_completions ALL DEPENDS ${outputs})
  set(share ${CMAKE_INSTALL_DATADIR})
  install(FILES ${folder}/${tool}.bash DESTINATION ${share}/bash-completion/completions RENAME ${tool} COMPONENT manual)
  install(FILES ${folder}/_${tool} DESTINATION ${share}/zsh/site-functions COMPONENT manual)
  install(FILES ${folder}/${tool}.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT manual)
endfunction()
