# What `cmake --install` puts where, for users of the library: headers, the shared libraries, a CMake package,
# pkg-config files.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pteedit)
install(TARGETS pteedit pteedit_profile pteedit_package EXPORT pteeditTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/libpteedit/include/pteedit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT pteeditTargets NAMESPACE pteedit:: DESTINATION ${package_dir} COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pteeditConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/pteeditConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pteeditConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pteeditConfig.cmake ${PROJECT_BINARY_DIR}/pteeditConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

# Relative to where the file itself is found, so that `cmake --install --prefix` elsewhere needs no second configuration.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(PTEEDIT_PC_PREFIX "\${pcfiledir}/${up}")
set(PTEEDIT_PC_PREFIX ${PTEEDIT_PC_PREFIX} PARENT_SCOPE) # for the C door's
foreach(package pteedit pteedit-profile pteedit-package)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endforeach()
