// What files say, read in the plainest way and written down to compare: what a rewrite must keep. Needs the library's
// private parts.
#ifndef PTEEDIT_TESTS_SUPPORT_FILE_CONTENTS_H_
#define PTEEDIT_TESTS_SUPPORT_FILE_CONTENTS_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "edit/binding.h"
#include "edit/tables.h"
#include "edit/unpack.h"
#include "program/binding_key.h"
#include "program/container_state.h"
#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "test_files.h"

namespace pteedit::test {

inline std::vector<uint8_t> BytesOf(const Source& source, Extent extent) {
  std::vector<uint8_t> bytes(extent.size);
  const Status status = source.Read(extent.offset, {bytes.data(), bytes.size()});
  EXPECT_TRUE(status) << (status ? "" : status.error().message);
  return bytes;
}
inline std::vector<uint8_t> BytesOf(const PlannedFile& file) {
  return BytesOf(*file.AsSource("plan"), {0, file.size()});
}
inline std::vector<uint8_t> BytesOf(const Container& file) {
  return BytesOf(*file.source(), {0, file.source()->size()});
}

// Fails the test where the plan does not open.
inline Container Opened(const PlannedFile& file, const std::string& name = "planned") {
  auto opened = Container::Open(file.AsSource(name));
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  return *opened;
}

// "model.pte: segment 3 ...": an error as the user sees it.
inline std::string Words(const Error& error) {
  return error.file.empty() ? error.message : error.file + ": " + error.message;
}
template <class T>
std::string Words(const Result<T>& result) {
  return result ? "no error" : Words(result.error());
}

// The bytes that a tensor value starts with, wherever they are.
struct StoredTensor {
  TensorLayout layout;
  bool is_state = false;
  std::vector<uint8_t> bytes;
  bool operator==(const StoredTensor&) const = default;
};
inline void PrintTo(const StoredTensor& tensor, std::ostream* out) {
  *out << (tensor.is_state ? "state of type " : "constant of type ") << static_cast<int>(tensor.layout.scalar_type)
       << " with " << tensor.bytes.size() << " bytes";
}

inline const NamedEntry* FindKey(const Container& file, std::string_view key) {
  for (const NamedEntry& entry : file.named_data()) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

// By "method/value". Element types must be known.
inline std::map<std::string, StoredTensor> StoredTensors(const Container& file,
                                                         const std::vector<Container>& data = {}) {
  const Container& program = file.program() != nullptr ? *file.program() : file;
  const schema::Program& root = program.state().program_root();
  std::map<std::string, StoredTensor> found;
  const auto segment_place = [&](const schema::SubsegmentOffsets& part, uint32_t buffer) {
    return program.segments()[part.segment_index()].offset + part.offsets()->Get(buffer);
  };
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) {
    for (flatbuffers::uoffset_t i = 0; i < OrEmpty(plan->values()).size(); ++i) {
      const schema::Tensor* tensor = plan->values()->Get(i)->val_as_Tensor();
      if (tensor == nullptr || IsBindingTensor(*tensor)) continue;
      StoredTensor stored;
      stored.layout.scalar_type = static_cast<int8_t>(tensor->scalar_type());
      for (const int32_t size : OrEmpty(tensor->sizes())) stored.layout.sizes.push_back(size);
      for (const uint8_t dimension : OrEmpty(tensor->dim_order())) stored.layout.dim_order.push_back(dimension);
      stored.is_state = tensor->allocation_info() != nullptr;
      const uint64_t size = ByteSize(stored.layout).value();
      const schema::ExtraTensorInfo* extra = tensor->extra_tensor_info();
      const uint32_t buffer = tensor->data_buffer_idx();
      if (extra != nullptr && extra->location() == schema::TensorDataLocation::EXTERNAL) {
        for (const Container& one : data) {
          const NamedEntry* entry = FindKey(one, ViewOf(extra->fully_qualified_name()));
          if (entry != nullptr) stored.bytes = BytesOf(*one.source(), {entry->extent.offset, size});
        }
      } else if (buffer == 0) {
        continue;
      } else if (stored.is_state) {
        const uint64_t part = extra == nullptr ? 0 : extra->mutable_data_segments_idx();
        const auto index = static_cast<flatbuffers::uoffset_t>(part);
        stored.bytes =
            BytesOf(*program.source(), {segment_place(*root.mutable_data_segments()->Get(index), buffer), size});
      } else if (OrEmpty(root.constant_buffer()).size() > 1) {
        const auto& storage = OrEmpty(root.constant_buffer()->Get(buffer)->storage());
        stored.bytes.assign(storage.data(), storage.data() + size);
      } else {
        stored.bytes = BytesOf(*program.source(), {segment_place(*root.constant_segment(), buffer), size});
      }
      found[std::string(ViewOf(plan->name())) + "/" + std::to_string(i)] = std::move(stored);
    }
  }
  return found;
}

// Every key with its bytes; a .bpte has those of the program inside.
inline std::map<std::string, std::vector<uint8_t>> NamedBytes(const Container& file) {
  const Container& inner = file.program() != nullptr ? *file.program() : file;
  std::map<std::string, std::vector<uint8_t>> found;
  for (const NamedEntry& entry : inner.named_data())
    found[std::string(entry.key)] = BytesOf(*inner.source(), entry.extent);
  return found;
}

// Every field of tables on a line of its own, so that a difference can be read. Absent and empty differ.
class TableText {
 public:
  template <class Table>
  static std::string Of(const Table& table) {
    TableText text;
    text.Add(table, "");
    return text.out_;
  }

 private:
  template <class Table>
  void Add(const Table& table, const std::string& place) {
    out_ += place + " {}\n";
    Table::Fields(table, [&](int field, const auto& value) { AddField(value, place + "." + std::to_string(field)); });
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void AddField(Number value, const std::string& place) {
    if constexpr (std::is_floating_point_v<Number>) {
      uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(value));
      out_ += place + " bits " + std::to_string(bits) + "\n";
    } else {
      out_ += place + " " + std::to_string(value) + "\n";
    }
  }
  template <class T>
  void AddField(const tables::Vector<T>& leaf, const std::string& place) {
    out_ += place + (leaf.present() ? "" : " absent");
    for (size_t i = 0; i < leaf.size(); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, &leaf[i], sizeof(T));
      out_ += " " + std::to_string(bits);
    }
    out_ += "\n";
  }
  void AddField(const tables::Blob& blob, const std::string& place) {
    AddField(blob.bytes, place);
    out_ += place + " aligned to " + std::to_string(blob.alignment) + "\n";
  }
  template <tables::Optional Child>
  void AddField(const Child& child, const std::string& place) {
    if (child) Add(*child, place);
  }
  template <class Table>
  void AddField(const tables::Children<Table>& children, const std::string& place) {
    out_ += place + (children.present ? "" : " absent") + "\n";
    for (size_t i = 0; i < children.items.size(); ++i) Add(children.items[i], place + "[" + std::to_string(i) + "]");
  }
  template <class... Members>
  void AddField(const std::variant<Members...>& value, const std::string& place) {
    out_ += place + " type " + std::to_string(value.index()) + "\n";
    std::visit(
        [&](const auto& member) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(member)>, std::monostate>) Add(member, place);
        },
        value);
  }

  std::string out_;
};

constexpr uint64_t kAnyBlobAlignment = 4096;

// All of a program's methods, but for where tensors are stored and which segments hold blobs.
inline std::string MethodsText(const Container& file) {
  const Container& program = file.program() != nullptr ? *file.program() : file;
  tables::Program unpacked = UnpackProgram(program.tables(), kAnyBlobAlignment);
  TakeOutBindings(unpacked);
  for (tables::ExecutionPlan& plan : unpacked.execution_plan.items) {
    for (tables::EValue& value : plan.values.items) {
      if (auto* tensor = std::get_if<tables::Tensor>(&value.val)) {
        tensor->data_buffer_idx = 0;
        tensor->extra_tensor_info.reset();
      }
    }
    for (tables::BackendDelegate& delegate : plan.delegates.items) delegate.processed->index = 0;
  }
  tables::Program methods;
  methods.version = unpacked.version;
  methods.execution_plan = unpacked.execution_plan;
  return TableText::Of(methods);
}

// A bundle's inputs and expected outputs.
inline std::string TestCasesText(const Container& bundle) {
  tables::BundledProgram unpacked = UnpackBundledProgram(bundle.tables());
  for (tables::BundledTestSuite& suite : unpacked.method_test_suites.items) {
    for (tables::BundledTestCase& test_case : suite.test_cases.items) {
      for (auto* values : {&test_case.inputs, &test_case.expected_outputs}) {
        for (tables::BundledValue& value : values->items) {
          if (auto* tensor = std::get_if<tables::BundledTensor>(&value.val)) tensor->data.alignment = 0;
        }
      }
    }
  }
  unpacked.program = {};
  return TableText::Of(unpacked);
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_FILE_CONTENTS_H_
