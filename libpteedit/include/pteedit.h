/* The C door: what C, Swift, Kotlin, Go or Rust need of pteedit, as C99. It has two halves. Files: what a program
 * weighs, whether a runtime takes it, what it needs to run. Releases: what a device has to fetch for the next release,
 * and the step to it. libpteedit_c.so has both; libpteedit_device.a, for phones, has the second half without
 * pteedit_release_verify.
 *
 * Shapes. What has an _open or _plan is a handle, which is looked at through functions and given back to its _close.
 * Handles may be used by several threads as long as nobody closes them. Sizes and offsets are bytes, as uint64_t.
 * Texts are UTF-8 that ends with a zero byte. Paths are those of the system.
 *
 * Ownership. What is given to a function stays the caller's and is not kept, unless it says so. A text in a struct, or
 * returned as const char *, is the handle's and lives as long. A text in a char ** is the caller's: pteedit_free.
 * Functions that fail leave what their pointers lead to as it was, except that handles and texts are NULL then.
 *
 * Errors. Functions that can fail return a pteedit_status; pteedit_last_error tells the rest, of this thread. A pointer
 * that is NULL and may not be is PTEEDIT_INVALID_ARGUMENT; functions that return a number or a text give 0 or NULL. No
 * exception leaves the library, nor may one leave a pteedit_progress; where memory runs out, the process ends. */
#ifndef PTEEDIT_H_
#define PTEEDIT_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PTEEDIT_C_API __attribute__((visibility("default")))
#else
#define PTEEDIT_C_API
#endif

#ifdef __cplusplus
#define PTEEDIT_C_NOEXCEPT noexcept
extern "C" {
#else
#define PTEEDIT_C_NOEXCEPT
#endif

typedef enum pteedit_status {
  PTEEDIT_OK = 0,
  PTEEDIT_MALFORMED = 1,        /* a file breaks its own format, or is other than a manifest says */
  PTEEDIT_UNSUPPORTED = 2,      /* a file may be fine, but is not fully understood */
  PTEEDIT_INVALID_ARGUMENT = 3, /* the caller asked for something that makes no sense */
  PTEEDIT_EXISTS = 4,           /* an output is there already */
  PTEEDIT_IO = 5,               /* the system refused to read or write */
  PTEEDIT_CANCELLED = 6         /* a pteedit_progress said so */
} pteedit_status;

/* Called now and then with the bytes that are done and their sum, from the thread that called. Returns 0 to go on;
 * anything else cancels. `context` is what came with the function. It must not close the handle at work. */
typedef int (*pteedit_progress)(void *context, uint64_t done, uint64_t total);

/* "0.1.0". Lives for ever. */
PTEEDIT_C_API const char *pteedit_version(void) PTEEDIT_C_NOEXCEPT;

/* What went wrong in the last call of this thread that failed: one line, "FILE: what is wrong"; "" before. Lives until
 * this thread's next call fails. */
PTEEDIT_C_API const char *pteedit_last_error(void) PTEEDIT_C_NOEXCEPT;
/* The file that is to blame for it; "" where none is. Of a fetched file that is PTEEDIT_MALFORMED: remove it, plan
 * again and fetch it again. */
PTEEDIT_C_API const char *pteedit_last_error_file(void) PTEEDIT_C_NOEXCEPT;

/* Gives a text back. NULL is fine. */
PTEEDIT_C_API void pteedit_free(char *text) PTEEDIT_C_NOEXCEPT;

/* ---- files ---- */

/* A program (.pte, .bpte) or data file (.ptd), and the data files that are loaded together with a program. */
typedef struct pteedit_file pteedit_file;

/* Opens the files and reads nothing yet. `data` are `data_count` paths; NULL where there are none. Fails with
 * PTEEDIT_IO. */
PTEEDIT_C_API pteedit_status pteedit_open(const char *path, const char *const *data, size_t data_count,
                                          pteedit_file **file) PTEEDIT_C_NOEXCEPT;
PTEEDIT_C_API void pteedit_close(pteedit_file *file) PTEEDIT_C_NOEXCEPT; /* NULL is fine */

/* Each gives a list with an object for each file, in the order in which they were opened: JSON with the members that
 * the objects of `pteinspect --json` have. docs/schemas/pteinspect.schema.json describes them. */

/* schema_version, file, kind, bytes, sizes. Fails with PTEEDIT_MALFORMED, PTEEDIT_UNSUPPORTED, PTEEDIT_IO. */
PTEEDIT_C_API pteedit_status pteedit_sizes(const pteedit_file *file, char **json) PTEEDIT_C_NOEXCEPT;

/* schema_version, file, findings. What is damaged is a finding and no failure, so look into the list. Fails with
 * PTEEDIT_UNSUPPORTED where a file is of none of our kinds, PTEEDIT_INVALID_ARGUMENT where the data files do not belong
 * to a program, PTEEDIT_IO. */
PTEEDIT_C_API pteedit_status pteedit_verify(const pteedit_file *file, char **json) PTEEDIT_C_NOEXCEPT;

/* schema_version, file, kind, bytes, requirements; of the first file alone. Fails as pteedit_sizes does. */
PTEEDIT_C_API pteedit_status pteedit_requirements(const pteedit_file *file, char **json) PTEEDIT_C_NOEXCEPT;

/* ---- releases ---- */

/* A release in a folder: manifest.json and the files that it names (docs/ota.md). */
typedef struct pteedit_release pteedit_release;

typedef struct pteedit_variant {
  const char *name;
  const char *min_runtime; /* the oldest release of ExecuTorch that can load it: "0.7" */
  size_t files;            /* how many: a program, its data files, then what was included */
  size_t data_files;       /* of these, those that a loader has to take with the program */
  uint64_t download_bytes, installed_bytes, largest_file_bytes;
} pteedit_variant;

typedef struct pteedit_release_file {
  const char *file; /* its name, in the folder and on a server */
  const char *role; /* "program", "shared", "variant", "index", "included" */
  const char *name; /* of an included one what it is to the application: "tokenizer"; else "" */
  uint64_t bytes;
  const char *sha256; /* 64 digits */
} pteedit_release_file;

/* Reads the manifest in `folder` and looks at no other file. Fails with PTEEDIT_MALFORMED, PTEEDIT_UNSUPPORTED,
 * PTEEDIT_IO. */
PTEEDIT_C_API pteedit_status pteedit_release_open(const char *folder, pteedit_release **release) PTEEDIT_C_NOEXCEPT;
PTEEDIT_C_API void pteedit_release_close(pteedit_release *release) PTEEDIT_C_NOEXCEPT; /* NULL is fine */

/* 64 digits that no other release has. */
PTEEDIT_C_API const char *pteedit_release_id(const pteedit_release *release) PTEEDIT_C_NOEXCEPT;

PTEEDIT_C_API size_t pteedit_release_variant_count(const pteedit_release *release) PTEEDIT_C_NOEXCEPT;
/* Fails with PTEEDIT_INVALID_ARGUMENT where there is no such index. */
PTEEDIT_C_API pteedit_status pteedit_release_variant(const pteedit_release *release, size_t index,
                                                     pteedit_variant *variant) PTEEDIT_C_NOEXCEPT;
/* What a variant is labelled with: of "backend" perhaps "XnnpackBackend". NULL where there is no such variant or
 * label. */
PTEEDIT_C_API const char *pteedit_release_label(const pteedit_release *release, const char *variant,
                                                const char *label) PTEEDIT_C_NOEXCEPT;
/* File `index` of a variant, in the order in which a loader takes them. Fails with PTEEDIT_INVALID_ARGUMENT where there
 * is no such variant or index. */
PTEEDIT_C_API pteedit_status pteedit_release_file_of(const pteedit_release *release, const char *variant, size_t index,
                                                     pteedit_release_file *file) PTEEDIT_C_NOEXCEPT;

/* Reads all files of a variant, of all where `variant` is NULL, and compares them with the manifest. `progress` may be
 * NULL. Fails with PTEEDIT_MALFORMED about the first that differs, PTEEDIT_IO where one lacks,
 * PTEEDIT_INVALID_ARGUMENT, PTEEDIT_CANCELLED. */
PTEEDIT_C_API pteedit_status pteedit_release_check(const pteedit_release *release, const char *variant,
                                                   pteedit_progress progress, void *context) PTEEDIT_C_NOEXCEPT;

/* That, and each program together with its data files: an object with the members of `ptepack verify --json`. What is
 * wrong is a finding and no failure. Fails with PTEEDIT_IO. */
PTEEDIT_C_API pteedit_status pteedit_release_verify(const pteedit_release *release, char **json) PTEEDIT_C_NOEXCEPT;

/* ---- updates ---- */

/* The way from what a device has to a new release. The application fetches; the folders are:
 *   release    manifest.json of the new release, fetched first, and whatever was fetched of its files, by their names
 *   delta      the same of a delta from the installed release to the new one; NULL where the server has none
 *   installed  the release that is there, perhaps only one variant of it; need not exist
 * A cut download stays where it is: plan again, and go on at the offset that the fetch says. */
typedef struct pteedit_update pteedit_update;

typedef struct pteedit_fetch {
  int of_delta;       /* whether the file is the delta's; else the release's */
  const char *file;   /* its name, in the folder and, below the URL of the release or the delta, on the server */
  uint64_t offset;    /* so many bytes are there: ask for the range from here on. 0: write the file anew */
  uint64_t bytes;     /* that follow, to the end of the file */
  const char *sha256; /* of the whole file */
} pteedit_fetch;

/* Looks at manifests and at the sizes of files. `variant` is the one wanted; NULL: all. Fails with
 * PTEEDIT_INVALID_ARGUMENT where there is no such variant or the delta is not from and to these releases,
 * PTEEDIT_MALFORMED, PTEEDIT_UNSUPPORTED, PTEEDIT_IO. */
PTEEDIT_C_API pteedit_status pteedit_update_plan(const char *release, const char *delta, const char *installed,
                                                 const char *variant, pteedit_update **update) PTEEDIT_C_NOEXCEPT;
PTEEDIT_C_API void pteedit_update_close(pteedit_update *update) PTEEDIT_C_NOEXCEPT; /* NULL is fine */

/* The new release, and the one that is there ("" where none is). */
PTEEDIT_C_API const char *pteedit_update_to(const pteedit_update *update) PTEEDIT_C_NOEXCEPT;
PTEEDIT_C_API const char *pteedit_update_from(const pteedit_update *update) PTEEDIT_C_NOEXCEPT;

/* What was to be fetched when it was planned; nothing: all is there. */
PTEEDIT_C_API size_t pteedit_update_fetch_count(const pteedit_update *update) PTEEDIT_C_NOEXCEPT;
PTEEDIT_C_API uint64_t pteedit_update_fetch_bytes(const pteedit_update *update) PTEEDIT_C_NOEXCEPT;
/* Fails with PTEEDIT_INVALID_ARGUMENT where there is no such index. */
PTEEDIT_C_API pteedit_status pteedit_update_fetch_of(const pteedit_update *update, size_t index,
                                                     pteedit_fetch *fetch) PTEEDIT_C_NOEXCEPT;

/* Looks at the folders anew and makes the release in `to`, or in `installed` itself where `to` is NULL. Each file gets
 * its name when its SHA-256 is right, the manifest comes last: until then, whatever happens, the old release is whole.
 * Files that are there are linked, not copied, where the file system can do that; the folders of what was fetched may
 * be removed afterwards. Calling again keeps what is right. `progress` may be NULL. Fails with PTEEDIT_INVALID_ARGUMENT
 * where something is still to be fetched, PTEEDIT_MALFORMED about a file that is not what the manifests say
 * (pteedit_last_error_file), PTEEDIT_EXISTS where `to` has another release, PTEEDIT_IO, PTEEDIT_CANCELLED. */
PTEEDIT_C_API pteedit_status pteedit_update_apply(const pteedit_update *update, const char *to,
                                                  pteedit_progress progress, void *context) PTEEDIT_C_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* PTEEDIT_H_ */
