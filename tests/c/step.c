/* Takes the step to a release whose files were fetched: step RELEASE INSTALLED VARIANT. */
#include <stdio.h>

#include "pteedit.h"

int main(int argc, char **argv) {
  pteedit_update *update = NULL;
  if (argc != 4) return 2;
  if (pteedit_update_plan(argv[1], NULL, argv[2], argv[3], &update) != PTEEDIT_OK ||
      pteedit_update_apply(update, NULL, NULL, NULL) != PTEEDIT_OK) {
    fprintf(stderr, "%s: %s\n", pteedit_last_error_file(), pteedit_last_error());
    return 1;
  }
  pteedit_update_close(update);
  return 0;
}
