// Marks what the shared library shows; everything else is hidden.
#ifndef PTEEDIT_EXPORT_H_
#define PTEEDIT_EXPORT_H_

#if defined(_WIN32)
#define PTEEDIT_API
#else
#define PTEEDIT_API __attribute__((visibility("default")))
#endif

#endif  // PTEEDIT_EXPORT_H_
