# What is installed stops where it would otherwise write past an end: for the folder that includes this, in release builds; checked
# containers in all, so that sanitizers and fuzzing see them, too.
include(CheckPIESupported)
check_pie_supported() # without it tools would be linked at fixed addresses where the compiler's default is that
set(hardened "$<CONFIG:Release>")
add_compile_options($<${hardened}:-fstack-protector-strong> $<${hardened}:-U_FORTIFY_SOURCE>)
add_compile_definitions(_GLIBCXX_ASSERTIONS $<${hardened}:_FORTIFY_SOURCE=3>)
if(UNIX AND NOT APPLE)
  add_link_options($<${hardened}:LINKER:-z,relro,-z,now,-z,noexecstack>)
endif()
