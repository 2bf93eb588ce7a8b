// Which version of the API these headers are, for the preprocessor. While the major version is 0, each minor version
// breaks with the one before, and the shared library's name says so.
#ifndef PTEEDIT_VERSION_H_
#define PTEEDIT_VERSION_H_

#define PTEEDIT_VERSION_MAJOR 0
#define PTEEDIT_VERSION_MINOR 1
#define PTEEDIT_VERSION_PATCH 0
#define PTEEDIT_VERSION "0.1.0"

#endif  // PTEEDIT_VERSION_H_
