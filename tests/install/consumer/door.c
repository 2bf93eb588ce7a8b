/* What a user of the C door might write: what a model weighs. door_consumer MODEL */
#include <pteedit.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  pteedit_file *file = NULL;
  char *sizes = NULL;
  if (pteedit_open(argv[1], NULL, 0, &file) != PTEEDIT_OK || pteedit_sizes(file, &sizes) != PTEEDIT_OK) {
    fprintf(stderr, "%s\n", pteedit_last_error());
    return 1;
  }
  const int has_total = strstr(sizes, "\"Total Size\"") != NULL;
  printf("pteedit %s: %zu bytes of JSON\n", pteedit_version(), strlen(sizes));
  pteedit_free(sizes);
  pteedit_close(file);
  return has_total ? 0 : 1;
}
