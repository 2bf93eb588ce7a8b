/* Brings a device to the newest release of a server, with pteedit.h and libcurl: docs/c.md tells the steps.
 *
 * usage: update RELEASE_URL FOLDER VARIANT [DELTAS_URL]
 *
 * RELEASE_URL has the release as `ptepack create` wrote it; DELTAS_URL/FROM-TO, if it is there, a delta between releases
 * with these first 12 digits. The release comes to lie in FOLDER/app; what is fetched in FOLDER/next and FOLDER/changes,
 * where a cut download stays for the next time. Exit codes: 0 up to date, 1 not, 2 usage. */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include <curl/curl.h>
#include <errno.h>
#include <pteedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kPathBytes = 4096, kTries = 3, kIdDigits = 12 };
static const uint64_t kMaxManifestBytes = (uint64_t)16 << 20; /* longer ones are refused anyway */

typedef struct device {
  CURL *curl;
  const char *release_url, *deltas_url, *variant;
  char delta_url[kPathBytes];
  char app[kPathBytes], next[kPathBytes], changes[kPathBytes];
  int has_delta;
} device;

typedef struct download {
  FILE *file;
  uint64_t left; /* no server may send more */
} download;

static void join(char *path, const char *folder, const char *name) {
  if (snprintf(path, kPathBytes, "%s/%s", folder, name) >= kPathBytes) {
    fprintf(stderr, "update: %s/%s: is too long a name\n", folder, name);
    exit(1);
  }
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *context) {
  download *to = context;
  if (size * count > to->left) return 0; /* which is an error */
  to->left -= size * count;
  return fwrite(bytes, size, count, to->file);
}

/* Appends to `folder`/`name` what URL/name has from `offset` on, at most `bytes`. Returns whether it is all there. */
static int fetch(device *of, const char *url, const char *folder, const char *name, uint64_t offset, uint64_t bytes) {
  char from[kPathBytes], path[kPathBytes];
  join(from, url, name);
  join(path, folder, name);
  download to = {fopen(path, offset == 0 ? "wb" : "ab"), bytes};
  if (to.file == NULL) return 0;
  curl_easy_setopt(of->curl, CURLOPT_URL, from);
  curl_easy_setopt(of->curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(of->curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(of->curl, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)offset);
  curl_easy_setopt(of->curl, CURLOPT_WRITEFUNCTION, on_bytes);
  curl_easy_setopt(of->curl, CURLOPT_WRITEDATA, &to);
  const CURLcode code = curl_easy_perform(of->curl);
  const int written = fclose(to.file) == 0;
  if (code != CURLE_OK) fprintf(stderr, "update: %s: %s\n", from, curl_easy_strerror(code));
  /* A server without ranges: from the start, the next time. */
  if (code == CURLE_RANGE_ERROR) remove(path);
  return code == CURLE_OK && written;
}

static int failed(const char *doing) {
  fprintf(stderr, "update: cannot %s: %s\n", doing, pteedit_last_error());
  return 0;
}

/* The manifests: that of the release, and that of the delta, if there is one. */
static int fetch_manifests(device *of) {
  char path[kPathBytes], name[2 * kIdDigits + 2];
  if (!fetch(of, of->release_url, of->next, "manifest.json", 0, kMaxManifestBytes)) return 0;
  pteedit_update *update = NULL;
  if (pteedit_update_plan(of->next, NULL, of->app, of->variant, &update) != PTEEDIT_OK) return failed("plan");
  of->has_delta = 0;
  const char *from = pteedit_update_from(update), *to = pteedit_update_to(update);
  if (of->deltas_url != NULL && *from != '\0' && strcmp(from, to) != 0) {
    snprintf(name, sizeof(name), "%.*s-%.*s", kIdDigits, from, kIdDigits, to);
    join(of->delta_url, of->deltas_url, name);
    of->has_delta = fetch(of, of->delta_url, of->changes, "manifest.json", 0, kMaxManifestBytes);
    if (!of->has_delta) {
      join(path, of->changes, "manifest.json");
      remove(path);
    }
  }
  pteedit_update_close(update);
  return 1;
}

static int fetch_planned(device *of, const pteedit_update *update) {
  printf("%llu bytes to fetch\n", (unsigned long long)pteedit_update_fetch_bytes(update));
  for (size_t i = 0; i < pteedit_update_fetch_count(update); ++i) {
    pteedit_fetch one;
    if (pteedit_update_fetch_of(update, i, &one) != PTEEDIT_OK) return failed("plan");
    printf(" %s from %llu: %llu bytes\n", one.file, (unsigned long long)one.offset, (unsigned long long)one.bytes);
    if (!fetch(of, one.of_delta ? of->delta_url : of->release_url, one.of_delta ? of->changes : of->next, one.file,
               one.offset, one.bytes))
      return 0;
  }
  return 1;
}

static int on_progress(void *context, uint64_t done, uint64_t total) {
  (void)context;
  (void)done;
  (void)total;
  return 0; /* a phone shows it here, and answers 1 where the user has no more patience */
}

/* Plans, fetches and applies once. What turns out to be wrong is removed, so that another try fetches it anew. */
static int try_update(device *of) {
  if (!fetch_manifests(of)) return 0;
  pteedit_update *update = NULL;
  const char *changes = of->has_delta ? of->changes : NULL;
  if (pteedit_update_plan(of->next, changes, of->app, of->variant, &update) != PTEEDIT_OK) return failed("plan");
  int done = fetch_planned(of, update);
  if (done) {
    const pteedit_status status = pteedit_update_apply(update, NULL, on_progress, NULL);
    done = status == PTEEDIT_OK || failed("apply");
    if (status == PTEEDIT_MALFORMED) remove(pteedit_last_error_file());
  }
  pteedit_update_close(update);
  return done;
}

/* What a loader takes: the program, then its data files in this order. */
static int print_files(const device *of) {
  pteedit_release *release = NULL;
  if (pteedit_release_open(of->app, &release) != PTEEDIT_OK) return failed("open");
  printf("release %s\n", pteedit_release_id(release));
  for (size_t i = 0; i < pteedit_release_variant_count(release); ++i) {
    pteedit_variant variant;
    if (pteedit_release_variant(release, i, &variant) != PTEEDIT_OK || strcmp(variant.name, of->variant) != 0) continue;
    for (size_t j = 0; j <= variant.data_files; ++j) {
      pteedit_release_file file;
      if (pteedit_release_file_of(release, variant.name, j, &file) == PTEEDIT_OK)
        printf("load %s/%s\n", of->app, file.file);
    }
  }
  pteedit_release_close(release);
  return 1;
}

static int make_folder(const char *path) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return 1;
  perror(path);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5) {
    fprintf(stderr, "usage: update RELEASE_URL FOLDER VARIANT [DELTAS_URL]\n");
    return 2;
  }
  device of = {.curl = curl_easy_init(), .release_url = argv[1], .variant = argv[3]};
  if (argc == 5) of.deltas_url = argv[4];
  join(of.app, argv[2], "app");
  join(of.next, argv[2], "next");
  join(of.changes, argv[2], "changes");
  if (of.curl == NULL || !make_folder(argv[2]) || !make_folder(of.next) || !make_folder(of.changes)) return 1;
  int done = 0;
  for (int i = 0; i < kTries && !done; ++i) done = try_update(&of);
  curl_easy_cleanup(of.curl);
  return done && print_files(&of) ? 0 : 1;
}
