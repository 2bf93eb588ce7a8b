# Toolchain file: 64-bit ARM Linux with glibc 2.28 or newer, for wheels (scripts/cross_wheel.sh).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(zig_target aarch64-linux-gnu.2.28)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
