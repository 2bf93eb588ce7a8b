// The calls to the system, for posix_file, posix_output, new_folder and temporary_*, which alone make any.
#ifndef PTEEDIT_SRC_IO_SYSTEM_CALLS_H_
#define PTEEDIT_SRC_IO_SYSTEM_CALLS_H_

#if defined(_WIN32)
#include "io/windows_calls.h"
#else
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#endif  // PTEEDIT_SRC_IO_SYSTEM_CALLS_H_
