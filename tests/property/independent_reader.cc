#include "independent_reader.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>

#include "flatbuffer_walk.h"
#include "schema_spec.h"

namespace pteedit::test {
namespace {

struct Range {
  uint64_t begin = 0, size = 0;
};

std::string Digest(const FileBytes& bytes, Range range) {
  if (range.begin > bytes.size() || range.size > bytes.size() - range.begin)
    throw std::runtime_error("range behind the end");
  uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (uint64_t i = 0; i < range.size; ++i) hash = (hash ^ bytes[range.begin + i]) * 1099511628211U;
  char text[64];
  std::snprintf(text, sizeof(text), "%llu bytes #%016llx", static_cast<unsigned long long>(range.size),
                static_cast<unsigned long long>(hash));
  return text;
}

std::string IdentifierOf(const FileBytes& file) {
  if (file.size() < 8) throw std::runtime_error("no file");
  return {file.begin() + 4, file.begin() + 8};
}

bool HasMagic(const FileBytes& file, const char* magic) {
  return file.size() >= 12 && std::equal(magic, magic + 4, file.begin() + 8);
}

// Where segment offsets count from.
uint64_t BaseOf(const FileBytes& file) {
  if (HasMagic(file, "eh00")) return NumberIn<uint64_t>(file, 24);
  if (HasMagic(file, "FH01")) return NumberIn<uint64_t>(file, 32);
  return 0;
}

std::vector<Range> SegmentsOf(const FileBytes& file, uint32_t field) {
  std::vector<Range> segments;
  for (const WalkedTable& segment : WalkedTable::Root(file).Children(field)) {
    segments.push_back({BaseOf(file) + segment.Number<uint64_t>(0), segment.Number<uint64_t>(1)});
  }
  return segments;
}

template <class T>
std::string ListOf(const WalkedTable& table, uint32_t field) {
  if (!table.Has(field)) return "null";
  std::string text = "[";
  for (const T number : table.Numbers<T>(field)) text += std::to_string(number) + " ";
  return text + "]";
}

// Doubles by their bits: NaNs and zeros are of many kinds.
std::string BitsOf(const WalkedTable& table, uint32_t field) {
  if (!table.Has(field)) return "null";
  std::string text = "bits ";
  for (const uint64_t bits : table.Numbers<uint64_t>(field)) text += std::to_string(bits) + " ";
  return text;
}

struct DataEntry {
  std::string key, layout;  // empty: has none
  const FileBytes* file = nullptr;
  Range range;
};

std::string LayoutWords(const WalkedTable& table, uint32_t first_field) {
  return std::to_string(table.Number<int8_t>(first_field)) + " " + ListOf<int32_t>(table, first_field + 1) +
         ListOf<uint8_t>(table, first_field + 2);
}

// Release 0.6 alone has a number where today's files have the place of a vector.
bool Is06(const WalkedTable& root) {
  const auto alignment = root.Number<uint32_t>(1);
  return root.field_count() > 3 && alignment != 0 && alignment <= 65536 && (alignment & (alignment - 1)) == 0;
}

uint64_t TensorBytes(const WalkedTable& table, uint32_t first_field) {
  uint64_t bytes = ElementBytes(table.Number<int8_t>(first_field));
  for (const int32_t size : table.Numbers<int32_t>(first_field + 1)) bytes *= static_cast<uint64_t>(size);
  return bytes;
}

std::vector<DataEntry> EntriesOf(const FileBytes& file) {
  const WalkedTable root = WalkedTable::Root(file);
  const bool is_06 = Is06(root);
  const std::vector<Range> segments = SegmentsOf(file, is_06 ? 3 : 1);
  std::vector<DataEntry> entries;
  if (is_06) {
    for (const WalkedTable& tensor : root.Children(2)) {
      const Range segment = segments.at(tensor.Number<uint32_t>(4));
      entries.push_back({tensor.Text(0),
                         LayoutWords(tensor, 1),
                         &file,
                         {segment.begin + tensor.Number<uint64_t>(5), TensorBytes(tensor, 1)}});
    }
  }
  for (const WalkedTable& entry : root.Children(is_06 ? 4 : 2)) {
    const auto layout = entry.Child(2);
    entries.push_back(
        {entry.Text(0), layout ? LayoutWords(*layout, 0) : "", &file, segments.at(entry.Number<uint32_t>(1))});
  }
  return entries;
}

class ProgramReader {
 public:
  ProgramReader(const FileBytes& file, const std::vector<FileBytes>& data, Detail detail)
      : file_(file), detail_(detail), root_(WalkedTable::Root(file)) {
    if (IdentifierOf(file) == "BP08") return;
    segments_ = SegmentsOf(file, 4);
    for (const FileBytes& one : data) {
      for (DataEntry& entry : EntriesOf(one)) data_.push_back(std::move(entry));
    }
  }

  Lines Read(const char* root_type) {
    Dump(root_, root_type, "");
    return std::move(lines_);
  }

 private:
  void Say(const std::string& path, const std::string& what) { lines_.push_back(path + " = " + what); }

  void Dump(const WalkedTable& table, const std::string& type, const std::string& path) {
    const std::vector<FieldSpec>& fields = kTables.at(type);
    CheckKnown(table, fields, path);
    const bool meaning = detail_ == Detail::kMeaning;
    if (type == "DataSegment") return Say(path, Digest(file_, segments_.at(segment_count_++)));
    if (meaning && type == "Program") return DumpMeaning(table);
    if (meaning && type == "Tensor") return DumpTensor(table, path);
    if (meaning && type == "BackendDelegateDataReference") {
      return Say(path, std::to_string(table.Number<int8_t>(0)) + " " + Digest(file_, BlobAt(table)));
    }
    for (const FieldSpec& field : fields) DumpField(table, field, path + "." + field.name);
  }

  static void CheckKnown(const WalkedTable& table, const std::vector<FieldSpec>& fields, const std::string& path) {
    const uint32_t known = fields.empty() ? 0 : fields.back().field + 1;
    for (uint32_t field = known; field < table.field_count(); ++field) {
      if (table.Has(field)) throw std::runtime_error(path + " has a field " + std::to_string(field));
    }
  }

  void DumpField(const WalkedTable& table, const FieldSpec& spec, const std::string& path) {
    const uint32_t field = spec.field;
    switch (spec.is) {
      case Is::kI8:
        return Say(path, std::to_string(table.Number<int8_t>(field)));
      case Is::kU8:
        return Say(path, std::to_string(table.Number<uint8_t>(field)));
      case Is::kI32:
        return Say(path, std::to_string(table.Number<int32_t>(field)));
      case Is::kU32:
        return Say(path, std::to_string(table.Number<uint32_t>(field)));
      case Is::kI64:
        return Say(path, std::to_string(table.Number<int64_t>(field)));
      case Is::kU64:
      case Is::kF64:
        return Say(path, std::to_string(table.Number<uint64_t>(field)));
      case Is::kText:
        return Say(path, table.Has(field) ? "'" + table.Text(field) + "'" : "null");
      case Is::kI32s:
        return Say(path, ListOf<int32_t>(table, field));
      case Is::kI64s:
        return Say(path, ListOf<int64_t>(table, field));
      case Is::kU64s:
        return Say(path, ListOf<uint64_t>(table, field));
      case Is::kF64s:
        return Say(path, BitsOf(table, field));
      case Is::kU8s:
        return DumpBytes(table, field, path);
      case Is::kTable:
        return DumpChild(table.Child(field), spec.of, path);
      case Is::kTables:
        return DumpChildren(table, field, spec.of, path);
      case Is::kUnion:
        return DumpUnion(table, field, kUnions.at(spec.of), path);
    }
  }

  void DumpBytes(const WalkedTable& table, uint32_t field, const std::string& path) {
    const auto vector = table.Vector(field);
    const bool is_program = path == ".program";
    Say(path, !vector ? "null" : is_program ? "a program" : Digest(file_, {vector->begin, vector->count}));
  }

  void DumpChild(const std::optional<WalkedTable>& child, const char* type, const std::string& path) {
    if (!child) return Say(path, "null");
    Dump(*child, type, path);
  }

  void DumpChildren(const WalkedTable& table, uint32_t field, const char* type, const std::string& path) {
    std::vector<WalkedTable> children = table.Children(field);
    const bool are_values = detail_ == Detail::kMeaning && std::string_view(type) == "EValue";
    while (are_values && !children.empty() && Binds(children.back())) children.pop_back();
    Say(path, table.Has(field) ? std::to_string(children.size()) + " tables" : "null");
    for (size_t i = 0; i < children.size(); ++i) Dump(children[i], type, path + "[" + std::to_string(i) + "]");
  }

  // A last value that only says which data file it must be.
  static bool Binds(const WalkedTable& value) {
    const auto tensor = value.Child(1);
    const auto extra = value.Number<uint8_t>(0) == 5 && tensor ? tensor->Child(9) : std::nullopt;
    return extra && extra->Number<int8_t>(2) == 1 && IsBinding(extra->Text(1));
  }
  static bool IsBinding(const std::string& key) { return key.starts_with("pteedit.base/"); }

  void DumpUnion(const WalkedTable& table, uint32_t field, const std::vector<std::string>& types,
                 const std::string& path) {
    const auto tag = table.Number<uint8_t>(field - 1);
    const auto value = table.Child(field);
    if (tag == 0 || !value) return Say(path, "none, type " + std::to_string(tag));
    Say(path, types.at(tag));
    Dump(*value, types.at(tag), path);
  }

  void DumpMeaning(const WalkedTable& program) {
    for (const uint32_t field : {0U, 1U}) DumpField(program, kTables.at("Program")[field], "");
    std::map<std::string, std::string> named;
    for (const WalkedTable& entry : program.Children(7)) {
      named.emplace(entry.Text(0), Digest(file_, segments_.at(entry.Number<uint32_t>(1))));
    }
    for (const DataEntry& entry : data_) {
      if (IsBinding(entry.key) || (read_by_tensors_.count(entry.key) != 0 && !IsMentioned(entry.key))) continue;
      named.emplace(entry.key, Digest(*entry.file, entry.range));
    }
    for (const auto& [key, bytes] : named) Say("key '" + key + "'", bytes);
  }

  Range BlobAt(const WalkedTable& reference) const {
    const auto index = reference.Number<uint32_t>(1);
    if (reference.Number<int8_t>(0) == 1) return segments_.at(index);
    const auto bytes = root_.Children(3).at(index).Vector(0);
    return bytes ? Range{bytes->begin, bytes->count} : Range{};
  }

  bool Contains(Range range, const std::string& key) const {
    const auto begin = file_.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(range.size);
    return !key.empty() && std::search(begin, end, key.begin(), key.end()) != end;
  }

  bool IsMentioned(const std::string& key) const {
    for (const WalkedTable& plan : root_.Children(1)) {
      for (const WalkedTable& delegate : plan.Children(7)) {
        if (Contains(BlobAt(*delegate.Child(1)), key)) return true;
        for (const WalkedTable& spec : delegate.Children(2)) {
          const auto value = spec.Vector(1);
          if (value && Contains({value->begin, value->count}, key)) return true;
        }
      }
    }
    return false;
  }

  // Its fields but those that say where the bytes are, and the bytes.
  void DumpTensor(const WalkedTable& tensor, const std::string& path) {
    const auto extra = tensor.Child(9);
    const bool is_external = extra && extra->Number<int8_t>(2) == 1;
    const bool is_stored = is_external || tensor.Number<uint32_t>(5) != 0;
    for (const FieldSpec& field : kTables.at("Tensor")) {
      if (is_stored && (field.field == 5 || field.field == 9)) continue;
      DumpField(tensor, field, path + "." + field.name);
    }
    if (!is_stored) return;
    Say(path + ".device",
        extra ? std::to_string(extra->Number<int8_t>(3)) + " " + std::to_string(extra->Number<int8_t>(4)) : "0 0");
    if (is_external) return DumpExternal(tensor, extra->Text(1), path);
    Say(path + ".bytes", ElementBytes(tensor.Number<int8_t>(0)) == 0
                             ? "of an unknown type"
                             : Digest(file_, {BeginInside(tensor, extra), SizedBytes(tensor)}));
  }

  static uint64_t SizedBytes(const WalkedTable& tensor) {
    uint64_t bytes = ElementBytes(tensor.Number<int8_t>(0));
    for (const int32_t size : tensor.Numbers<int32_t>(2)) bytes *= static_cast<uint64_t>(size);
    return bytes;
  }

  void DumpExternal(const WalkedTable& tensor, const std::string& key, const std::string& path) {
    read_by_tensors_.insert(key);
    for (const DataEntry& entry : data_) {
      if (entry.key == key) return Say(path + ".bytes", Digest(*entry.file, {entry.range.begin, SizedBytes(tensor)}));
    }
    throw std::runtime_error("no data file has key '" + key + "'");
  }

  uint64_t BeginInside(const WalkedTable& tensor, const std::optional<WalkedTable>& extra) const {
    const auto buffer = tensor.Number<uint32_t>(5);
    if (tensor.Has(6)) return BeginIn(root_.Children(6).at(extra ? extra->Number<uint64_t>(0) : 0), buffer);
    const auto constants = root_.Child(5);
    if (constants && !constants->Numbers<uint64_t>(1).empty()) return BeginIn(*constants, buffer);
    const auto bytes = root_.Children(2).at(buffer).Vector(0);
    return bytes ? bytes->begin : 0;
  }

  uint64_t BeginIn(const WalkedTable& part, uint32_t buffer) const {
    return segments_.at(part.Number<uint32_t>(0)).begin + part.Numbers<uint64_t>(1).at(buffer);
  }

  const FileBytes& file_;
  Detail detail_;
  WalkedTable root_;
  std::vector<Range> segments_;
  std::vector<DataEntry> data_;
  std::set<std::string> read_by_tensors_;
  size_t segment_count_ = 0;
  Lines lines_;
};

}  // namespace

Lines ReadIndependently(const FileBytes& program, const std::vector<FileBytes>& data, Detail detail) {
  if (IdentifierOf(program) != "BP08") return ProgramReader(program, data, detail).Read("Program");
  Lines lines = ProgramReader(program, data, Detail::kTables).Read("BundledProgram");
  const auto inside = WalkedTable::Root(program).Numbers<uint8_t>(2);
  const Lines inner = ReadIndependently(inside, data, detail);
  lines.insert(lines.end(), inner.begin(), inner.end());
  return lines;
}

Lines ReadDataIndependently(const FileBytes& data) {
  Lines lines;
  for (const DataEntry& entry : EntriesOf(data)) {
    lines.push_back("key '" + entry.key + "' = " + entry.layout + " " + Digest(*entry.file, entry.range));
  }
  return lines;
}

Places ReadPlaces(const FileBytes& file) {
  Places places{file.size(), 0, {}, {}};
  if (IdentifierOf(file) == "BP08") return places;
  const bool is_data = IdentifierOf(file) == "FT01";
  if (HasMagic(file, "eh00")) places.tables_bytes = NumberIn<uint64_t>(file, 16);
  if (HasMagic(file, "eh00")) places.segment_base = NumberIn<uint64_t>(file, 24);
  if (is_data) places.segment_base = NumberIn<uint64_t>(file, 32);
  if (is_data) places.tables_bytes = NumberIn<uint64_t>(file, 16) + NumberIn<uint64_t>(file, 24);
  for (const Range& segment : SegmentsOf(file, is_data ? 1 : 4)) {
    if (segment.size != 0) places.segments.push_back(segment.begin);
  }
  if (is_data) return places;
  for (const uint32_t field : {2U, 3U}) {
    for (const WalkedTable& blob : WalkedTable::Root(file).Children(field)) {
      const auto bytes = blob.Vector(0);
      if (bytes && bytes->count != 0) places.inline_blobs.push_back(bytes->begin);
    }
  }
  return places;
}

std::string FirstDifference(const Lines& before, const Lines& after) {
  const size_t common = std::min(before.size(), after.size());
  for (size_t i = 0; i < common; ++i) {
    if (before[i] != after[i]) return "before: " + before[i] + "\nafter:  " + after[i];
  }
  if (before.size() == after.size()) return "";
  return before.size() > after.size() ? "lost:  " + before[common] : "added: " + after[common];
}

}  // namespace pteedit::test
