# What cpack makes of what is installed: `cmake --workflow --preset deb` makes Debian packages, with `static` and those for
# other systems it makes an archive with tools that need nothing of the system.
if(PTEEDIT_PYTHON OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_PACKAGE_VENDOR pteedit)
set(CPACK_PACKAGE_CONTACT "pteedit maintainers <maintainers@pteedit.invalid>")
set(CPACK_COMPONENTS_ALL tools manual)
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL runtime c_runtime development)
else()
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
if(PTEEDIT_LICENSES)
  set(CPACK_STRIP_FILES OFF) # they were linked so, and a file for macOS is signed then
else()
  set(CPACK_STRIP_FILES ON)
  if(NOT BUILD_SHARED_LIBS)
    # What Debian's packages say of the code that is linked inside.
    foreach(package libc6-dev libcli11-dev libflatbuffers-dev libssl-dev libstdc++-12-dev libxxhash-dev libzstd-dev
                    nlohmann-json3-dev zlib1g-dev)
      install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${package}
              COMPONENT manual OPTIONAL)
    endforeach()
  endif()
endif()
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
string(REPLACE darwin macos system ${system})
set(CPACK_PACKAGE_FILE_NAME pteedit-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_COMPONENT_TOOLS_GROUP programs)
set(CPACK_COMPONENT_MANUAL_GROUP programs)

# The C door has a soname of its own, and so a package of its own: libraries of two ABIs can be there side by side.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE pteedit)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libpteedit${PTEEDIT_ABI_VERSION})
set(CPACK_DEBIAN_C_RUNTIME_PACKAGE_NAME libpteedit-c1)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpteedit-dev)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME pteedit)

set(version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(library "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} ${version}")
set(CPACK_DEBIAN_C_RUNTIME_PACKAGE_DEPENDS "${library}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library}, ${CPACK_DEBIAN_C_RUNTIME_PACKAGE_NAME} ${version}")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "${library}")
# Further dependencies, by dpkg-shlibdeps, which finds our own libraries where they were built.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/libpteedit ${PROJECT_BINARY_DIR}/c)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
foreach(component RUNTIME C_RUNTIME)
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION libs)
  if(CMAKE_VERSION VERSION_LESS 4) # newer ones write it, and would make this one executable
    set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/triggers)
  endif()
endforeach()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION devel)

set(about "pteedit reads and rewrites the files of ExecuTorch, PyTorch's
runtime for phones and other devices: programs (.pte), data files with
their weights (.ptd) and bundled programs (.bpte).\n")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "libraries that read and rewrite ExecuTorch programs
${about}\nThis package holds the shared libraries for C++.")
set(CPACK_DEBIAN_C_RUNTIME_DESCRIPTION "library for C that reads ExecuTorch programs and updates their releases
${about}\nThis package holds the shared library for C.")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "development files of libraries for ExecuTorch programs
${about}\nThis package holds headers for C++ and C, and what CMake and
pkg-config look for.")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "tools that read and rewrite ExecuTorch programs
${about}\nThis package holds the commands, their man pages, and what shells complete.")

set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_documents.cmake)
include(CPack)
