# Toolchain file: macOS 13 or newer on 64-bit ARM, from Linux.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(zig_target aarch64-macos.13.0)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
