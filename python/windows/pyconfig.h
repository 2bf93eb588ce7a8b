/* What Python.h has to know of 64-bit Windows. The headers that scripts/cross_wheel.sh takes from Debian know Linux. */
#ifndef Py_PYCONFIG_H
#define Py_PYCONFIG_H

#define MS_WINDOWS
#define MS_WIN64
#define Py_ENABLE_SHARED 1 /* functions and objects come from python311.dll */
#define HAVE_DECLSPEC_DLL 1

#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_PID_T 4
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_UINTPTR_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_WCHAR_T 2

#define HAVE_SSIZE_T 1
#define HAVE_STDDEF_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_WCHAR_H 1
#define NT_THREADS 1
#define WITH_DOC_STRINGS 1
#define WITH_PYMALLOC 1

#endif
