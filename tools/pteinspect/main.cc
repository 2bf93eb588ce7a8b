// pteinspect: what is in a file, and how many bytes each part takes. Opens no file for writing but what -o, --html and
// --emit-metadata-json name.
#include "run.h"

int main(int argc, char** argv) { return pteedit::cli::RunPteinspect(argc, argv); }
