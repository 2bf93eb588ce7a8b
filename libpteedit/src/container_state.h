// What a Container holds. Filled once by Container::Open, never changed afterwards.
#ifndef PTEEDIT_SRC_CONTAINER_STATE_H_
#define PTEEDIT_SRC_CONTAINER_STATE_H_

#include <memory>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "schema.h"
#include "table_walk.h"

namespace pteedit {

struct Container::State {
  FileKind kind = FileKind::kProgram;
  std::shared_ptr<const Source> source;
  FileHeader header;
  std::shared_ptr<const uint8_t[]> table_bytes;  // aligned as operator new does, at least 16
  ByteSpan tables;
  TableWalk walk;
  std::vector<Extent> segments;
  std::vector<NamedEntry> named_data;
  std::optional<Container> inner;
  Extent inner_extent;

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

}  // namespace pteedit

#endif  // PTEEDIT_SRC_CONTAINER_STATE_H_
