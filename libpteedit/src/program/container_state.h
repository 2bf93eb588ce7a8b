// What a Container holds. Filled once by Container::Open, never changed afterwards; naming contents makes a copy.
#ifndef PTEEDIT_SRC_PROGRAM_CONTAINER_STATE_H_
#define PTEEDIT_SRC_PROGRAM_CONTAINER_STATE_H_

#include <memory>
#include <optional>
#include <vector>

#include "program/found_names.h"
#include "program/native_package.h"
#include "program/schema.h"
#include "program/table_walk.h"
#include "pteedit/container.h"

namespace pteedit {

struct Container::State {
  // Like Container::Open, but goes on after whatever is wrong behind the tables' surface, to tell all of it: then
  // `problems` is not empty and only header, tables and `problems` may be looked at. Fails where already the surface is
  // damaged.
  static Result<Container> OpenWithProblems(std::shared_ptr<const Source> source, const ParseLimits& limits = {},
                                            bool takes_packages = false);

  // The same file with names, also of what is in it.
  static Container Named(const Container& file, std::shared_ptr<const FoundNames> names,
                         std::optional<Container> inner);

  // The file with its own names only.
  static Container Unnamed(const Container& file);

  FileKind kind = FileKind::kProgram;
  ParseLimits limits;
  std::shared_ptr<const Source> source;
  FileHeader header;
  std::shared_ptr<const uint8_t[]> table_bytes;  // aligned as operator new does, at least 16
  ByteSpan tables;
  TableWalk walk;
  std::vector<Extent> segments;
  std::vector<NamedEntry> named_data;
  std::optional<Container> inner;
  Extent inner_extent;
  std::shared_ptr<const NativePackage> package;  // of a .ptn, else null
  std::shared_ptr<const FoundNames> names;  // beside those that the file itself has; null where none were looked for
  std::vector<Error> problems;              // in the order of finding; of a bundle also those of the program inside

  const schema::Program& program_root() const { return *flatbuffers::GetRoot<schema::Program>(tables.data); }
  const schema::flat::FlatTensor& data_root() const {
    return *flatbuffers::GetRoot<schema::flat::FlatTensor>(tables.data);
  }
  const schema::flat06::FlatTensor& data06_root() const {
    return *flatbuffers::GetRoot<schema::flat06::FlatTensor>(tables.data);
  }
  const schema::bundle::BundledProgram& bundle_root() const {
    return *flatbuffers::GetRoot<schema::bundle::BundledProgram>(tables.data);
  }
};

// The program; of a bundle the one inside.
inline const Container& ProgramIn(const Container& file) { return file.program() != nullptr ? *file.program() : file; }

// Whether the file is a program or has one inside.
inline bool HoldsProgram(const Container& file) { return ProgramIn(file).kind() == FileKind::kProgram; }

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_CONTAINER_STATE_H_
