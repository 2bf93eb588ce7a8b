// Graphs in blobs of XNNPACK and Vulkan: a header, a flatbuffer that asks for keys of named data by their texts, and
// constants behind it. So keys can be called otherwise: the texts change, and nothing else moves in the graph.
#ifndef PTEEDIT_SRC_DELEGATES_KEYED_GRAPH_H_
#define PTEEDIT_SRC_DELEGATES_KEYED_GRAPH_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "delegates/blob_reader.h"
#include "delegates/decoder.h"
#include "io/content_index.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

struct KeyedGraph {
  struct Key {
    uint32_t field = 0;     // where in the graph the reference to the text is
    uint32_t text = 0;      // where in the graph its first byte is
    std::string_view name;  // the text
  };
  BlobBytes graph;        // verified
  Extent place;           // in the blob, behind the header where there is one
  Extent constants;       // behind it; of no bytes where there are none
  std::vector<Key> keys;  // in the order of the graph; two may share a text
};

// Adds the texts of field `named_key` of each of the tables, which lie in the graph.
template <class Table>
void AddKeys(const flatbuffers::Vector<flatbuffers::Offset<Table>>* tables, KeyedGraph& graph) {
  for (const Table* table : OrEmpty(tables)) {
    const uint8_t* field = reinterpret_cast<const flatbuffers::Table*>(table)->GetAddressOf(Table::VT_NAMED_KEY);
    if (field == nullptr) continue;
    const auto place = [&](const void* at) {
      return static_cast<uint32_t>(static_cast<const uint8_t*>(at) - graph.graph.bytes.data);
    };
    graph.keys.push_back({place(field), place(table->named_key()->c_str()), ViewOf(table->named_key())});
  }
}

// The blob with keys under their new names, everything else as it was. A name that is no longer than the old one takes
// its place, another is put behind the graph, which grows by a multiple of 16, as what is behind it is aligned.
// kUnsupported where header or flatbuffer cannot tell so many bytes.
Result<PlannedFile> RenameKeys(const BlobInput& blob, const KeyedGraph& graph,
                               const std::map<std::string, std::string, std::less<>>& names);

// Of blobs of a backend whose decoder opens graphs: whether they ask for the same keys at the same places, and differ
// in nothing but where the texts of these are. False of all others. Fails with kIo.
Result<bool> SameButPlacesOfKeys(std::string_view backend, const ContentPlace& a, const ContentPlace& b);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_KEYED_GRAPH_H_
