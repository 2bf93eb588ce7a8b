#include "pteedit/sizes.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "coreml_folders.h"
#include "inspect/keyed_constants.h"
#include "inspect/module_names.h"
#include "program/container_state.h"
#include "program_builder.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/key_uses.h"
#include "pteedit/locate.h"
#include "pteedit/names.h"
#include "test_files.h"

namespace pteedit::sizes_test {
namespace {

using test::AllModelFiles;
using test::DataPath;
using test::OpenBytes;
using test::OpenFile;
using test::ReadBytes;

SizeNode Measure(const Container& file) {
  Result<SizeNode> sizes = MeasureSizes(file, {/*look_inside=*/true, {}});
  EXPECT_TRUE(sizes) << (sizes ? "" : sizes.error().message);
  return sizes ? *std::move(sizes) : SizeNode();
}

SizeNode MeasureBytes(std::vector<uint8_t> bytes) {
  const Result<Container> file = OpenBytes(std::move(bytes));
  EXPECT_TRUE(file) << (file ? "" : file.error().message);
  return file ? Measure(*file) : SizeNode();
}

// The law: a node is as large as what is in it.
void ExpectAddsUp(const SizeNode& node) {
  uint64_t end = 0, in_pieces = 0;
  for (const Extent& piece : PiecesOf(node)) {
    EXPECT_TRUE(in_pieces == 0 || piece.offset > end) << node.name;  // neither overlapping nor touching
    end = piece.offset + piece.size, in_pieces += piece.size;
  }
  EXPECT_EQ(in_pieces, node.size) << node.name;
  if (node.components.empty()) return;
  const uint64_t sum = std::accumulate(node.components.begin(), node.components.end(), uint64_t{0},
                                       [](uint64_t so_far, const SizeNode& part) { return so_far + part.size; });
  EXPECT_EQ(sum, node.size) << node.name;
  for (const SizeNode& component : node.components) ExpectAddsUp(component);
}

// Of what has no components.
void CollectPieces(const SizeNode& node, std::vector<Extent>& pieces) {
  if (node.components.empty()) {
    for (const Extent& piece : PiecesOf(node)) pieces.push_back(piece);
  }
  for (const SizeNode& component : node.components) CollectPieces(component, pieces);
}

std::vector<std::string> NamesOf(const std::vector<SizeNode>& nodes) {
  std::vector<std::string> names;
  for (const SizeNode& node : nodes) names.push_back(node.name);
  return names;
}

uint64_t SizeOf(const SizeNode& root, const std::string& name) {
  const SizeNode* node = FindComponent(root, name);
  return node == nullptr ? 0 : node->size;
}

// Overwrites the number in field `field` of `table`, which lies in `file`, in a copy of the file's bytes.
template <class Table>
void Patch(std::vector<uint8_t>& bytes, const Container& file, const Table& table, uint16_t field, uint32_t value) {
  const auto slot = static_cast<flatbuffers::voffset_t>(flatbuffers::FieldIndexToOffset(field));
  const uint8_t* at = reinterpret_cast<const flatbuffers::Table*>(&table)->GetAddressOf(slot);
  ASSERT_NE(at, nullptr);
  std::memcpy(bytes.data() + (at - file.tables().data), &value, sizeof(value));
}

TEST(MeasureSizes, EveryByteIsInOnePieceOfOneLeaf) {
  for (const std::string& path : AllModelFiles()) {
    std::vector<Extent> pieces;
    CollectPieces(Measure(OpenFile(path)), pieces);
    std::sort(pieces.begin(), pieces.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
    uint64_t end = 0;
    for (const Extent& piece : pieces) {
      EXPECT_EQ(piece.offset, end) << path;
      end = piece.offset + piece.size;
    }
    EXPECT_EQ(end, OpenFile(path).source()->size()) << path;
  }
}

TEST(MeasureSizes, EveryFileAddsUpAndNothingIsUnattributed) {
  for (const std::string& path : AllModelFiles()) {
    SCOPED_TRACE(path);
    const Container file = OpenFile(path);
    const SizeNode root = Measure(file);
    EXPECT_EQ(root.name, "Total Size");
    EXPECT_EQ(root.size, file.source()->size());
    ExpectAddsUp(root);
    EXPECT_EQ(SizeOf(root, "Unattributed"), 0U);
  }
}

TEST(MeasureSizes, DamagedFilesThatStillOpenAddUp) {
  std::mt19937 random(1);
  for (const char* name :
       {"f06/mixed.pte", "f16/twice_inline.pte", "f09/kv_init.pte", "f12/zoo__default_external_constant.ptd",
        "old/0.6.0_lin_ext__default_external_constant.ptd", "f11_bundled_xnn.bpte", "old/0.1_inline.pte"}) {
    const std::vector<uint8_t> good = ReadBytes(DataPath(name));
    for (int i = 0; i < 500; ++i) {
      std::vector<uint8_t> bytes = good;
      bytes[random() % std::min<size_t>(bytes.size(), 4096)] ^= static_cast<uint8_t>(1U << (random() % 8));
      const size_t size = bytes.size();
      const Result<Container> file = OpenBytes(std::move(bytes));
      if (!file) continue;
      const SizeNode root = Measure(*file);
      EXPECT_EQ(root.size, size);
      ExpectAddsUp(root);
    }
  }
}

TEST(MeasureSizes, FilesWithDamagedBlobsAddUp) {
  std::mt19937 random(2);
  for (const char* name : {"delegates/tosa_conv.pte", "delegates/ov_conv.pte", "delegates/coreml_conv.pte",
                           "delegates/vgf_conv.pte", "old/0.4.0_xnn.pte", "old/0.4.0_xnn_inline.pte"}) {
    const std::vector<uint8_t> good = ReadBytes(DataPath(name));
    const Extent blob = (*DescribeDelegates(OpenFile(DataPath(name))))[0].blob;
    for (int i = 0; i < 100; ++i) {
      std::vector<uint8_t> bytes = good;
      const size_t offset = static_cast<size_t>(blob.offset + random() % blob.size);
      bytes[offset] ^= static_cast<uint8_t>(1U << (random() % 8));
      const SizeNode root = MeasureBytes(std::move(bytes));
      EXPECT_EQ(root.size, good.size());
      ExpectAddsUp(root);
    }
  }
}

TEST(MeasureSizes, ProgramComponentsAppearInTheDocumentedOrder) {
  EXPECT_EQ(
      NamesOf(Measure(OpenFile(DataPath("f06/mixed.pte"))).components),
      (std::vector<std::string>{"Program Flatbuffer", "Constant Tensors", "Delegate Blobs", "Named Data", "Padding"}));
  EXPECT_EQ(NamesOf(Measure(OpenFile(DataPath("f09/kv_init.pte"))).components),
            (std::vector<std::string>{"Program Flatbuffer", "Constant Tensors", "Mutable Tensors", "Padding"}));
}

TEST(MeasureSizes, ConstantsShowTheirFirstNameAndTheOthersAsAliases) {
  const SizeNode root = Measure(OpenFile(DataPath("f06/mixed.pte")));
  const SizeNode* shared = FindComponent(root, "decode.constant_1");
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(shared->size, 64U * 24 * 4);
  EXPECT_EQ(shared->more->aliases, std::vector<std::string>{"prefill.constant_0"});
}

TEST(MeasureSizes, TablesOfAProgramWithInlineConstantsAreLessThese) {
  const Container file = OpenFile(DataPath("old/0.1_inline.pte"));
  const SizeNode root = Measure(file);
  ASSERT_GT(SizeOf(root, "Constant Tensors"), 0U);
  EXPECT_EQ(SizeOf(root, "Program Flatbuffer") + SizeOf(root, "Constant Tensors") + SizeOf(root, "Padding"), root.size);
}

TEST(MeasureSizes, InlineBlobsAreMarked) {
  const SizeNode root = Measure(OpenFile(DataPath("f16/twice_inline.pte")));
  ASSERT_NE(FindComponent(root, "XnnpackBackend_1"), nullptr);
  EXPECT_EQ(FindComponent(root, "XnnpackBackend_1")->more->note, "inline");
  EXPECT_EQ(FindComponent(root, "XnnpackBackend_1")->size, 720U);
}

TEST(MeasureSizes, ABlobThatDelegatesShareIsListedAtTheFirst) {
  const Container file = OpenFile(DataPath("f16/twice_segments.pte"));
  const auto& delegates = *file.state().program_root().execution_plan()->Get(0)->delegates();
  ASSERT_EQ(delegates.size(), 2U);
  std::vector<uint8_t> bytes = ReadBytes(DataPath("f16/twice_segments.pte"));
  Patch(bytes, file, *delegates.Get(1)->processed(), 1, delegates.Get(0)->processed()->index());
  const SizeNode root = MeasureBytes(std::move(bytes));
  ExpectAddsUp(root);
  EXPECT_GT(SizeOf(root, "XnnpackBackend_0"), 0U);
  EXPECT_EQ(SizeOf(root, "XnnpackBackend_1"), 0U);
  EXPECT_EQ(FindComponent(root, "XnnpackBackend_1")->more->note, "same as XnnpackBackend_0");
}

TEST(MeasureSizes, SegmentsNobodyRefersToAreUnattributedAndKeysOnOneSegmentShareARow) {
  const Container file = OpenFile(DataPath("delegates/xnn_lin.pte"));
  const auto& entries = *file.state().program_root().named_data();
  std::vector<uint8_t> bytes = ReadBytes(DataPath("delegates/xnn_lin.pte"));
  Patch(bytes, file, *entries.Get(1), 1, entries.Get(0)->segment_index());
  const SizeNode root = MeasureBytes(std::move(bytes));
  ExpectAddsUp(root);
  EXPECT_EQ(SizeOf(root, "Unattributed"), file.named_data()[1].extent.size);
  const SizeNode* row = FindComponent(root, std::string(file.named_data()[0].key));
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->more->aliases, std::vector<std::string>{std::string(file.named_data()[1].key)});
}

TEST(MeasureSizes, DelegatesReferToTheKeysInTheirBlobs) {
  const SizeNode root = Measure(OpenFile(DataPath("delegates/xnn_lin.pte")));
  const SizeNode* delegate = FindComponent(root, "XnnpackBackend_0");
  ASSERT_NE(delegate, nullptr);
  ASSERT_EQ(delegate->more->refers_to.size(), 4U);
  EXPECT_EQ(delegate->more->refers_to[1].key, "31651231e83c4124daa62b4bb6d3a6aee9992e2034fdf991eb81770f730dd6e9");
  EXPECT_EQ(delegate->more->refers_to[1].bytes, 2048U);
  EXPECT_EQ(delegate->size, 1584U);
}

TEST(MeasureSizes, PartsOfABlobAddUpToItAndHavePlaces) {
  const Container file = OpenFile(DataPath("delegates/xnn_lin.pte"));
  const SizeNode root = Measure(file);
  const SizeNode* delegate = FindComponent(root, "XnnpackBackend_0");
  ASSERT_NE(delegate, nullptr);
  ASSERT_EQ(delegate->components.size(), 4U);
  EXPECT_EQ(delegate->components[2].name, "graph");
  uint64_t end = file.segments()[1].offset;
  for (const SizeNode& part : delegate->components) {
    EXPECT_EQ(part.place, (Extent{end, part.size})) << part.name;
    end += part.size;
  }
  EXPECT_EQ(delegate->place, file.segments()[1]);
}

TEST(MeasureSizes, PlacesInABundleCountFromTheStartOfTheFile) {
  const Container file = OpenFile(DataPath("f11_bundled_xnn.bpte"));
  const SizeNode outer = Measure(file);
  const SizeNode inner = Measure(*file.program());
  const SizeNode* blob = FindComponent(outer, "XnnpackBackend_0/graph");
  ASSERT_NE(blob, nullptr);
  EXPECT_EQ(blob->place->offset,
            FindComponent(inner, "XnnpackBackend_0/graph")->place->offset + file.program_extent().offset);
}

TEST(MeasureSizes, ShortRunsOfZerosArePaddingAndOthersUnattributed) {
  const std::vector<uint8_t> file = ReadBytes(DataPath("f02_linear.pte"));
  const SizeNode before = MeasureBytes(file);
  const auto with_tail = [&](size_t count, uint8_t last) {
    std::vector<uint8_t> bytes = file;
    bytes.resize(file.size() + count);
    bytes.back() = last;
    return MeasureBytes(std::move(bytes));
  };
  EXPECT_EQ(SizeOf(with_tail(16383, 0), "Padding"), SizeOf(before, "Padding") + 16383);
  EXPECT_EQ(SizeOf(with_tail(16384, 0), "Unattributed"), 16384U);
  EXPECT_EQ(SizeOf(with_tail(5, 1), "Unattributed"), 5U);
}

TEST(MeasureSizes, EntriesOfARelease06DataFileLieInsideOneSegment) {
  const Container file = OpenFile(DataPath("old/0.6.0_lin_ext__default_external_constant.ptd"));
  ASSERT_TRUE(file.header().layout_06);
  const SizeNode root = Measure(file);
  EXPECT_EQ(NamesOf(root.components), (std::vector<std::string>{"Data Flatbuffer", "Tensors", "Padding"}));
  EXPECT_EQ(SizeOf(root, "w"), 256U);
  EXPECT_EQ(SizeOf(root, "b"), 32U);
}

TEST(MeasureSizes, ABundleHoldsTheProgramsTreeOneLevelDown) {
  const Container file = OpenFile(DataPath("f11_bundled_xnn.bpte"));
  const SizeNode root = Measure(file);
  const SizeNode inner = Measure(*file.program());
  const SizeNode* program = FindComponent(root, "Program");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->size, inner.size);
  EXPECT_EQ(NamesOf(program->components), NamesOf(inner.components));
  EXPECT_EQ(root.components.front().name, "Bundled Data");
}

TEST(MeasureSizes, FailsWhereTheFileCanNoLongerBeRead) {
  const std::vector<uint8_t> bytes = ReadBytes(DataPath("f02_linear.pte"));
  bool is_gone = false;
  const auto read = [&](uint64_t offset, MutableByteSpan out) -> Status {
    if (is_gone) return IoError("cannot read: it is gone");
    std::memcpy(out.data, bytes.data() + offset, out.size);
    return {};
  };
  const Result<Container> file = Container::Open(MakeCallbackSource("remote.pte", bytes.size(), read));
  ASSERT_TRUE(file);
  is_gone = true;
  const Result<SizeNode> sizes = MeasureSizes(*file);
  ASSERT_FALSE(sizes);
  EXPECT_EQ(sizes.error().code, ErrorCode::kIo);
  EXPECT_EQ(sizes.error().file, "remote.pte");
}

TEST(MeasureSizes, TypesOfWeightsStandAtLeavesAndAreSpelledAlike) {
  const auto bytes_of = [](const SizeNode& root, const std::string& dtype) {
    uint64_t bytes = 0;
    const auto add = [&](const auto& self, const SizeNode& node) -> void {
      if (node.dtype == dtype) bytes += node.size;
      EXPECT_TRUE(node.dtype.empty() || node.components.empty()) << node.name;
      for (const SizeNode& component : node.components) self(self, component);
    };
    add(add, root);
    return bytes;
  };
  const SizeNode mixed = Measure(OpenFile(DataPath("f06/mixed.pte")));  // kernels and XNNPACK
  EXPECT_EQ(bytes_of(mixed, "float32"), SizeOf(mixed, "Constant Tensors") + SizeOf(mixed, "Named Data"));
  const SizeNode quantized = Measure(OpenFile(DataPath("delegates/xnn_lin_dq8.pte")));
  EXPECT_GT(bytes_of(quantized, "int8"), 0U);
  EXPECT_EQ(bytes_of(quantized, "int8") + bytes_of(quantized, "float32"), SizeOf(quantized, "Named Data"));
  const SizeNode data = Measure(OpenFile(DataPath("f04/w.ptd")));
  EXPECT_EQ(bytes_of(data, "float32"), SizeOf(data, "Tensors"));
}

TEST(KeyedConstants, AreAllOfWhatTheirKeysName) {
  DelegateDescription delegate;
  delegate.keys.resize(3);
  delegate.keys[0].key = "model", delegate.keys[0].bytes = 100;
  delegate.keys[1].key = "own", delegate.keys[1].bytes = 8;
  delegate.keys[2].key = "nowhere";
  for (const char* key : {"model", "own", "nowhere", ""}) {
    BlobConstant& constant = delegate.contents.Edit().constants.emplace_back();
    constant.key = key;
    constant.bytes = 8;
  }
  const std::vector<const BlobConstant*> keyed = KeyedConstants(delegate);
  ASSERT_EQ(keyed.size(), 2U);
  EXPECT_EQ(keyed[0]->key, "own");
  EXPECT_EQ(keyed[1]->key, "nowhere");
}

TEST(MeasureSizes, ADataFileWithoutTypesHasThoseOfItsReaders) {
  const Container file = OpenFile(DataPath("f05/partial_w.ptd"));
  const std::string key(file.named_data()[0].key);
  ASSERT_TRUE(FindComponent(Measure(file), key)->dtype.empty());
  KeyUses uses;
  uses[key].users = {std::string("XnnpackBackend_0")};
  uses[key].read_as.Edit().dtype = "qcint8";
  const Result<SizeNode> sizes = MeasureSizes(file, {.key_uses = &uses});
  ASSERT_TRUE(sizes);
  EXPECT_EQ(FindComponent(*sizes, key)->dtype.str(), "int8");
}

// Those whose place a decoder tells, of all backends that keep weights in their blobs.
TEST(MeasureSizes, WeightsInsideBlobsAreRows) {
  std::map<std::string, size_t> rows;
  for (const std::string& path : AllModelFiles()) {
    SCOPED_TRACE(path);
    const Container file = OpenFile(path);
    const auto delegates = DescribeDelegates(file);
    ASSERT_TRUE(delegates);
    const SizeNode root = Measure(file);
    for (const DelegateDescription& delegate : *delegates) {
      if (!delegate.shared_with->empty()) continue;
      std::map<std::pair<uint64_t, uint64_t>, uint64_t> found;  // bytes by place
      for (const SizeNode& part : FindComponent(root, delegate.name)->components) {
        for (const SizeNode& weight : part.components) {
          if (weight.place) found[{weight.place->offset, weight.place->size}] += weight.size;
        }
      }
      for (const BlobConstant& constant : delegate.contents->constants) {
        if (!constant.key.empty() || constant.extent.size == 0) continue;
        const auto at = found.find({delegate.blob.offset + constant.extent.offset, constant.extent.size});
        ASSERT_NE(at, found.end()) << constant.name;
        EXPECT_EQ(at->second, constant.extent.size);
        ++rows[delegate.backend];
      }
    }
  }
  for (const char* backend :
       {"TOSABackend", "OpenvinoBackend", "CoreMLBackend", "XnnpackBackend", "VgfBackend", "EthosUBackend"})
    EXPECT_GT(rows[backend], 0U) << backend;
}

TEST(MeasureSizes, WeightsOfABlobHaveNamesAndTypesAndARestBesideThem) {
  const SizeNode root = Measure(OpenFile(DataPath("delegates/tosa_conv.pte")));
  const SizeNode* graph = FindComponent(root, "TOSABackend_0/graph");
  ASSERT_NE(graph, nullptr);
  ASSERT_GT(graph->components.size(), 2U);
  EXPECT_TRUE(graph->is_group);
  EXPECT_EQ(graph->components.back().name, "(rest)");
  EXPECT_FALSE(graph->components.front().dtype.empty());
  const SizeNode old = Measure(OpenFile(DataPath("old/0.4.0_xnn.pte")));
  ASSERT_NE(FindComponent(old, "XnnpackBackend_0/constant data/constant_0"), nullptr);
  EXPECT_EQ(FindComponent(old, "XnnpackBackend_0/constant data/constant_0")->dtype.str(), "float32");
}

TEST(MeasureSizes, AFlatbufferOpensIntoMethodsAndWhatTheyHold) {
  const SizeNode root = Measure(OpenFile(DataPath("f02_linear.pte")));
  const SizeNode* tables = FindComponent(root, "Program Flatbuffer");
  EXPECT_EQ(NamesOf(tables->components),
            (std::vector<std::string>{"header", "vtables", "method forward", "constant_buffer", "backend_delegate_data",
                                      "segments", "constant_segment", "between tables"}));
  const std::vector<std::string> rows = NamesOf(FindComponent(root, "method forward")->components);
  for (const char* row : {"fields", "strings", "values", "instructions", "operators"})
    EXPECT_NE(std::find(rows.begin(), rows.end(), row), rows.end()) << row;
  EXPECT_EQ(FindComponent(root, "stack traces"), nullptr);
  EXPECT_NE(FindComponent(Measure(OpenFile(DataPath("f10_stacktrace.pte"))), "method forward/stack traces"), nullptr);
  EXPECT_TRUE(
      FindComponent(*MeasureSizes(OpenFile(DataPath("f02_linear.pte"))), "Program Flatbuffer")->components.empty());
}

// Who is asked for less says of what is asked for the same.
TEST(MeasureSizes, PiecesAreThoseOfUsersWhereOnlyTheseAreAskedFor) {
  const auto compare = [](const auto& self, const SizeNode& all, const SizeNode& some, size_t level) -> size_t {
    EXPECT_EQ(all.size, some.size) << all.name;
    EXPECT_EQ(all.components.size(), some.components.size()) << all.name;
    const bool is_user = level == 1 || !all.dtype.empty() || all.name.starts_with("method ");
    if (is_user) {
      EXPECT_EQ(PiecesOf(all), PiecesOf(some)) << all.name;
    }
    size_t in_pieces = is_user && all.more->pieces.size() > 1;
    for (size_t i = 0; i < std::min(all.components.size(), some.components.size()); ++i)
      in_pieces += self(self, all.components[i], some.components[i], level + 1);
    return in_pieces;
  };
  size_t compared = 0;
  for (const char* name : {"f02_linear.pte", "f10_stacktrace.pte", "f04/w.ptd"}) {
    SCOPED_TRACE(name);
    const Container file = OpenFile(DataPath(name));
    const Result<SizeNode> some = MeasureSizes(file, {.look_inside = true, .pieces = SizePieces::kOfUsers});
    ASSERT_TRUE(some);
    compared += compare(compare, Measure(file), *some, 0);
  }
  EXPECT_GT(compared, 1U) << "no nodes in pieces were compared";
}

// Each byte against the field that it belongs to.
TEST(MeasureSizes, RowsOfAFlatbufferHoldTheBytesOfTheirFields) {
  for (const char* name : {"f02_linear.pte", "f10_stacktrace.pte", "f04/w.ptd"}) {
    SCOPED_TRACE(name);
    const Container file = OpenFile(DataPath(name));
    const SizeNode root = Measure(file);
    const SizeNode& tables = root.components.front();
    const auto row_at = [&](uint64_t offset) {
      std::string found;
      const auto look = [&](const auto& self, const SizeNode& node) -> void {
        for (const SizeNode& component : node.components) self(self, component);
        for (const Extent& piece : PiecesOf(node)) {
          const bool is_here = offset >= piece.offset && offset - piece.offset < piece.size;
          if (is_here && node.components.empty()) found = node.name;
        }
      };
      look(look, tables);
      return found;
    };
    for (uint64_t offset = 0; offset < tables.place->size; offset += 3) {
      const std::string field = LocateByte(file, offset)->field;
      const std::string row = row_at(offset);
      if (field.find("(vtable)") != std::string::npos) continue;  // of the table itself, or of all that are like it
      if (field.empty()) {
        EXPECT_TRUE(row != "strings" && row != "vtables") << row;  // between fields of a table, or between tables
      } else if (field.find("stacktrace") != std::string::npos) {
        EXPECT_TRUE(row == "stack traces" || row == "instructions") << field << " in " << row;
      } else if (field.find(".chains[") != std::string::npos) {
        EXPECT_EQ(row, "instructions") << field;
      } else if (field.find(".values[") != std::string::npos) {
        EXPECT_EQ(row, "values") << field;
      } else if (field.find(".operators[") != std::string::npos && field.find("].") != std::string::npos) {
        EXPECT_TRUE(row == "operators" || row == "strings") << field << " in " << row;
      } else if (field.find("named_data[") == 0) {
        EXPECT_TRUE(row == "named_data" || row == "strings" || row == "header") << field << " in " << row;
      } else if (field[0] == '(') {
        EXPECT_EQ(row, "header") << field;
      }
    }
  }
}

TEST(MeasureSizes, OnlyGivenNamesHaveModules) {
  const SizeNode generated = Measure(OpenFile(DataPath("f06/mixed.pte")));
  const auto expect_none = [](const auto& self, const SizeNode& node) -> void {
    EXPECT_EQ(node.module(), "") << node.name;
    for (const SizeNode& component : node.components) self(self, component);
  };
  expect_none(expect_none, generated);
  EXPECT_EQ(ModuleOf("layers.3.attention.weight"), "layers.3.attention");
  for (const char* name : {"", "weight", ".weight", "a..b", "a.", "a b.c", "model/a.b",
                           "31651231e83c4124daa62b4bb6d3a6aee9992e20.34fdf991",
                           "scale_31651231e83c4124daa62b4bb6d3a6aee9992e2034fdf991eb81770f730dd6e9"})
    EXPECT_EQ(ModuleOf(name), "") << name;
  std::string deep = "a";
  for (int i = 0; i < 40; ++i) deep += ".a";
  EXPECT_EQ(ModuleOf(deep).size(), 31U);  // 16 words
}

// What decoders independent of this project found in files of many backends and releases.
TEST(MeasureSizes, AgreesWithIndependentDecoders) {
  int compared = 0;
  for (const std::string& path : AllModelFiles()) {
    const std::filesystem::path expectation = std::filesystem::path(path).replace_extension(".json");
    if (!std::filesystem::exists(expectation)) continue;
    SCOPED_TRACE(path);
    const std::vector<uint8_t> text = ReadBytes(expectation.string());
    const nlohmann::json expected = nlohmann::json::parse(text.begin(), text.end());
    const SizeNode root = Measure(OpenFile(path));
    EXPECT_EQ(root.size, expected["size"]);
    for (const auto& entry : expected["named_data"]) {
      EXPECT_EQ(SizeOf(root, entry["key"]), entry["size"]) << entry["key"];
      ++compared;
    }
    size_t row = 0;
    for (const auto& plan : expected["plans"]) {
      for (const auto& delegate : plan["delegates"]) {
        const SizeNode* blobs = FindComponent(root, "Delegate Blobs");
        ASSERT_NE(blobs, nullptr);
        ASSERT_LT(row, blobs->components.size());
        EXPECT_EQ(blobs->components[row++].size, delegate["blob_size"]);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 20);
}

TEST(MeasureSizes, AModelThatCoreMlSharesUnderAKeyIsAFolder) {
  std::vector<uint8_t> folder = test::Folder({{"metadata.json", "{}"}, {"model.mlpackage/Manifest.json", "[1]"}});
  const uint64_t bytes = folder.size();
  const Container data = test::DataFileBuilder().Key("model", folder).Open();
  const Container program = test::ProgramBuilder().Method("forward").NamedData("model", folder).Open();
  for (const Container& file : {program, data}) {
    const SizeNode root = Measure(file);
    ExpectAddsUp(root);
    EXPECT_EQ(FindComponent(root, "model")->size, bytes);
    EXPECT_EQ(NamesOf(FindComponent(root, "model")->components),
              (std::vector<std::string>{"metadata.json", "model.mlpackage/Manifest.json", "list of files"}));
    EXPECT_EQ(FindComponent(root, "model/model.mlpackage/Manifest.json")->size, 3U);
  }
  folder[folder.size() - 12] = '?';  // ends as if it were one
  EXPECT_TRUE(FindComponent(Measure(test::DataFileBuilder().Key("model", folder).Open()), "model")->components.empty());
}

}  // namespace
}  // namespace pteedit::sizes_test
