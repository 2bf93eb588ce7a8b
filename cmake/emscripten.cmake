# Toolchain file: WebAssembly by Debian's emscripten, which does not look where Debian's headers lie. Those that are of any
# architecture are linked into a folder of their own, since beside them lie those of this machine's libc.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(PTEEDIT_HEADERS ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${PTEEDIT_HEADERS})
foreach(header flatbuffers nlohmann xxhash.h)
  file(CREATE_LINK /usr/include/${header} ${PTEEDIT_HEADERS}/${header} SYMBOLIC)
endforeach()
set(FLATBUFFERS ${PTEEDIT_HEADERS})
