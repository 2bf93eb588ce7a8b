// Program files as the runtime can open them: a bundled program (.bpte) is taken apart first. The reader shares no code
// with the library under test.
#ifndef PTERUN_BUNDLE_H_
#define PTERUN_BUNDLE_H_

#include <string>

namespace pterun {

// Returns a path under which the program in the file `path` can be opened for as long as this process lives: the path
// itself, or for a bundled program that of an anonymous file in memory with the inner program's bytes. Throws
// std::runtime_error where the file cannot be read or the bundle holds no program.
std::string MakeProgramPath(const std::string& path);

}  // namespace pterun

#endif  // PTERUN_BUNDLE_H_
