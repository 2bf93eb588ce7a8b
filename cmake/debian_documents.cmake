# Run by cpack once files are staged: what Debian asks of the documents in each package.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(GLOB packages LIST_DIRECTORIES true ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, where that is set
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
foreach(package ${packages})
  get_filename_component(component ${package} NAME)
  string(TOUPPER ${component} component)
  set(share ${package}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  set(folder ${share}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME})
  file(MAKE_DIRECTORY ${folder})
  file(REMOVE ${folder}/LICENSE) # called 'copyright' there
  configure_file(${CMAKE_CURRENT_LIST_DIR}/../LICENSE ${folder}/copyright COPYONLY)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md ${folder}/changelog COPYONLY)
  file(WRITE ${folder}/changelog.Debian "pteedit (${version}) unstable; urgency=medium\n\n  * Packaged by cpack.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  if(EXISTS ${share}/zsh/site-functions) # which are the administrator's there
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  endif()
  file(GLOB pages ${share}/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${folder}/changelog ${folder}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
