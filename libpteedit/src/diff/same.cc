#include "pteedit/same.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "delegates/keyed_graph.h"
#include "edit/binding.h"
#include "edit/tables.h"
#include "edit/unpack.h"
#include "inspect/program_contents.h"
#include "io/digest.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/key_search.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::TypeTable;
using Found = std::optional<Difference>;

constexpr size_t kMaxFields = 16;

// Which fields only say where bytes lie, and are compared by what lies there or not at all.
enum TensorField { kDataBuffer = 5, kExtraInfo = 9 };
enum DelegateField { kProcessed = 1 };
enum ChainField { kStackTrace = 3 };
enum ProgramField { kVersion = 0, kPlans = 1 };
enum BundleField { kInnerProgram = 2 };
enum CallField { kOpIndex = 0 };

std::string SingularOf(std::string_view list) {
  static const std::map<std::string_view, std::string_view> kWords{
      {"execution_plan", "method"},
      {"values", "value"},
      {"chains", "chain"},
      {"instructions", "instruction"},
      {"operators", "operator"},
      {"delegates", "delegate"},
      {"compile_specs", "compile spec"},
      {"stacktrace", "stack trace"},
      {"items", "frame"},
      {"method_test_suites", "test suite"},
      {"test_cases", "test case"},
      {"inputs", "input"},
      {"expected_outputs", "expected output"},
      {"non_const_buffer_device", "planned memory device"}};
  const auto found = kWords.find(list);
  return std::string(found != kWords.end() ? found->second : list);
}

std::string NameOf(const tables::Operator& op) {
  const std::string overload(ViewOf(op.overload));
  return overload.empty() ? std::string(ViewOf(op.name)) : Text(ViewOf(op.name), ".", overload);
}

// Walks two unpacked tables side by side, field by field as Fields() lists them, so that none can be forgotten. Stops
// at the first difference or failure.
class Comparer {
 public:
  explicit Comparer(const SameOptions& options) : options_(options) {}

  Result<Found> Programs(const ProgramContents& a, const ProgramContents& b) {
    a_ = &a, b_ = &b;
    tables::Program left = UnpackProgram(a.program().tables(), 1);
    tables::Program right = UnpackProgram(b.program().tables(), 1);
    TakeOutBindings(left);  // the last values, so that the numbers of the others stay
    TakeOutBindings(right);
    left_ = &left, right_ = &right;
    if (Table(*schema::ProgramTypeTable(), left, right)) Keys();
    return Taken();
  }

  Result<Found> TestSuites(const Container& a, const Container& b) {
    const tables::BundledProgram left = UnpackBundledProgram(a.tables()), right = UnpackBundledProgram(b.tables());
    Table(*schema::bundle::BundledProgramTypeTable(), left, right);
    return Taken();
  }

 private:
  struct Step {
    const char* list;
    size_t index;
    std::string_view name;  // where it has one
  };

  Result<Found> Taken() {
    if (!status_) return status_.error();
    return found_;
  }

  bool Differs(std::string message) {
    std::string where;
    for (const Step& step : path_) {
      if (std::string_view(step.list) == "chains" && step.index == 0) continue;  // nobody writes another
      if (!where.empty()) where += ", ";
      where += SingularOf(step.list);
      where += step.name.empty() ? Text(" ", step.index) : " " + Quoted(step.name);
    }
    found_ = Difference{std::move(where), std::move(message)};
    return false;
  }

  bool Failed(const Error& error) {
    status_ = error;
    return false;
  }

  // What is compared in its own way; false for all others.
  template <class T>
  bool IsSpecial(const T&, int) const {
    return false;
  }
  bool IsSpecial(const tables::Tensor&, int field) const { return field == kDataBuffer || field == kExtraInfo; }
  bool IsSpecial(const tables::BackendDelegate&, int field) const { return field == kProcessed; }
  bool IsSpecial(const tables::Program&, int field) const { return field != kVersion && field != kPlans; }
  bool IsSpecial(const tables::BundledProgram&, int field) const { return field == kInnerProgram; }
  bool IsSpecial(const tables::KernelCall&, int field) const { return field == kOpIndex; }
  bool IsSpecial(const tables::Chain&, int field) const { return field == kStackTrace && !options_.stack_traces; }

  template <class T>
  bool Special(const T&, const T&) {
    return true;
  }
  bool Special(const tables::Tensor& a, const tables::Tensor& b) { return Names(a, b) && Contents(); }
  bool Special(const tables::KernelCall& a, const tables::KernelCall& b) {
    const size_t plan = path_[0].index;
    const std::string left = NameOf(left_->execution_plan.items[plan].operators.items[static_cast<size_t>(a.op_index)]);
    const std::string right =
        NameOf(right_->execution_plan.items[plan].operators.items[static_cast<size_t>(b.op_index)]);
    if (left == right) return true;
    return Differs(Text("calls operator ", Quoted(left), ", the other ", Quoted(right)));
  }
  bool Special(const tables::BackendDelegate& a, const tables::BackendDelegate&) {
    const size_t method = path_[0].index, delegate = path_[1].index;
    const ContentPlace left = a_->Blob(method, delegate), right = b_->Blob(method, delegate);
    if (Bytes(left, right, "processed blob")) return true;
    if (!status_) return false;
    const Result<bool> same = SameButPlacesOfKeys(ViewOf(a.id), left, right);
    if (!same) return Failed(same.error());
    if (*same) found_.reset();
    return *same;
  }

  template <class T>
  bool Table(const TypeTable& type, const T& a, const T& b) {
    std::array<const void*, kMaxFields> fields_of_b{};
    T::Fields(b, [&](int field, const auto& value) { fields_of_b[static_cast<size_t>(field)] = &value; });
    bool same = true;
    T::Fields(a, [&](int field, const auto& value) {
      const auto index = static_cast<size_t>(field);
      using Value = std::decay_t<decltype(value)>;
      if (same && !IsSpecial(a, field))
        same = Field(type, index, value, *static_cast<const Value*>(fields_of_b[index]));
    });
    return same && Special(a, b);
  }

  static const TypeTable& ChildOf(const TypeTable& type, size_t field) {
    return *type.type_refs[type.type_codes[field].sequence_ref]();
  }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  bool Field(const TypeTable& type, size_t field, const Number& a, const Number& b) {
    // Their bits: NaN is as itself. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    if (std::memcmp(&a, &b, sizeof(a)) == 0) return true;
    return Differs(Text("has ", Quoted(type.names[field]), " ", std::to_string(a), ", the other ", std::to_string(b)));
  }

  template <class T>
  bool Field(const TypeTable& type, size_t field, const tables::Vector<T>& a, const tables::Vector<T>& b) {
    const std::string name = Quoted(type.names[field]);
    if (a.present() != b.present()) return Presence(name, a.present());
    const bool same =
        a.size() == b.size() && (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
    if (same) return true;
    if constexpr (std::is_same_v<T, char>) {
      return Differs(Text("has ", name, " ", Quoted(ViewOf(a)), ", the other ", Quoted(ViewOf(b))));
    } else {
      if (a.size() != b.size()) {
        return Differs(Text("has ", a.size(), " elements in ", name, ", the other ", b.size()));
      }
      size_t i = 0;
      while (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) ++i;  // NOLINT(bugprone-suspicious-memory-comparison)
      return Differs(
          Text("has ", std::to_string(a[i]), " at place ", i, " of ", name, ", the other ", std::to_string(b[i])));
    }
  }

  bool Field(const TypeTable& type, size_t field, const tables::Blob& a, const tables::Blob& b) {
    return Field(type, field, a.bytes, b.bytes);
  }

  template <tables::Optional Child>
  bool Field(const TypeTable& type, size_t field, const Child& a, const Child& b) {
    if (a.has_value() != b.has_value()) return Presence(Quoted(type.names[field]), a.has_value());
    return !a || Table(ChildOf(type, field), *a, *b);
  }

  template <class T>
  bool Field(const TypeTable& type, size_t field, const tables::Children<T>& a, const tables::Children<T>& b) {
    const std::string name = Quoted(type.names[field]);
    if (a.present != b.present) return Presence(name, a.present);
    const size_t common = std::min(a.items.size(), b.items.size());
    for (size_t i = 0; i < common; ++i) {
      path_.push_back({type.names[field], i, StepName(a.items[i])});
      if (!Table(ChildOf(type, field), a.items[i], b.items[i])) return false;
      path_.pop_back();
    }
    if (a.items.size() == b.items.size()) return true;
    return Differs(Text("has ", a.items.size(), " elements in ", name, ", the other ", b.items.size()));
  }

  template <class... Members>
  bool Field(const TypeTable& type, size_t field, const std::variant<Members...>& a,
             const std::variant<Members...>& b) {
    const TypeTable& members = ChildOf(type, field);
    if (a.index() != b.index()) {
      return Differs(Text("is of type ", Quoted(members.names[a.index()]), ", the other of type ",
                          Quoted(members.names[b.index()])));
    }
    return std::visit(
        [&](const auto& left) {
          using Member = std::decay_t<decltype(left)>;
          if constexpr (std::is_same_v<Member, std::monostate>) {
            return true;
          } else {
            return Table(*members.type_refs[members.type_codes[a.index()].sequence_ref](), left,
                         *std::get_if<Member>(&b));
          }
        },
        a);
  }

  template <class T>
  static std::string_view StepName(const T&) {
    return {};
  }
  static std::string_view StepName(const tables::ExecutionPlan& plan) { return ViewOf(plan.name); }

  bool Presence(const std::string& name, bool in_first) {
    return Differs(in_first ? Text("has ", name, ", the other has none") : Text("has no ", name, ", the other has"));
  }

  // A key that tells the content is no name.
  static std::string_view NameIn(const tables::ExtraTensorInfo& extra) {
    const std::string_view name = ViewOf(extra.fully_qualified_name);
    return IsContentKey(name) ? std::string_view() : name;
  }

  // Constants may lose their names to keys in data files, but apps reach states by theirs.
  bool Names(const tables::Tensor& a, const tables::Tensor& b) {
    const tables::ExtraTensorInfo none;
    const tables::ExtraTensorInfo& left = a.extra_tensor_info ? *a.extra_tensor_info : none;
    const tables::ExtraTensorInfo& right = b.extra_tensor_info ? *b.extra_tensor_info : none;
    const std::string_view left_name = NameIn(left), right_name = NameIn(right);
    const bool are_names = left.location == 0 && right.location == 0 && !left_name.empty() && !right_name.empty();
    if ((are_names || a.allocation_info) && left_name != right_name) {
      return Differs(Text("has name ", Quoted(left_name), ", the other ", Quoted(right_name)));
    }
    if (left.device_type == right.device_type && left.device_index == right.device_index) return true;
    return Differs(Text("is on device ", +left.device_type, ":", +left.device_index, ", the other on ",
                        +right.device_type, ":", +right.device_index));
  }

  bool Contents() {
    const size_t method = path_[0].index, value = path_[1].index;
    auto left = a_->ContentAt(method, value), right = b_->ContentAt(method, value);
    if (!left) return Failed(left.error());
    if (!right) return Failed(right.error());
    if (left->has_value() != right->has_value()) return Presence("stored bytes", left->has_value());
    if (!left->has_value()) return true;
    if (!ByteSize(LayoutOf(a_->TensorAt(method, value)))) {
      // Then its bytes reach to the next ones, and where those are is chance.
      const uint64_t common = std::min((*left)->extent.size, (*right)->extent.size);
      (*left)->extent.size = (*right)->extent.size = common;
    }
    return Bytes(**left, **right, "tensor");
  }

  bool Bytes(const ContentPlace& a, const ContentPlace& b, const char* what) {
    if (a.extent.size != b.extent.size) {
      return Differs(Text(what, " has ", a.extent.size, " bytes, the other ", b.extent.size));
    }
    if (a.source == b.source && a.extent == b.extent) return true;
    const auto pair = std::tuple(a.source.get(), a.extent.offset, b.source.get(), b.extent.offset, a.extent.size);
    if (compared_.contains(pair)) return true;
    const Result<bool> same = SameBytes(*a.source, a.extent, *b.source, b.extent);
    if (!same) return Failed(same.error());
    if (!*same) return Differs(Text(what, " has other bytes"));
    if (a.extent.size >= kLong) compared_.insert(pair);
    return true;
  }

  // Those that one of both programs has or that its delegates mention.
  bool Keys() {
    std::vector<std::string_view> keys;
    for (const ProgramContents* side : {a_, b_}) {
      for (const DataPlace& place : side->set().data_keys()) keys.push_back(place.key());
      for (const NamedEntry& entry : side->program().named_data()) keys.push_back(entry.key);
    }
    std::ranges::sort(keys);
    const auto again = std::ranges::unique(keys);
    keys.erase(again.begin(), again.end());
    std::vector<bool> is_wanted(keys.size());
    for (const ProgramContents* side : {a_, b_}) {
      for (const NamedEntry& entry : side->program().named_data())
        is_wanted[static_cast<size_t>(std::ranges::lower_bound(keys, entry.key) - keys.begin())] = true;
    }
    // The blobs are the same by now, so one side tells for both.
    const auto mentioned = KeysOfDelegates(a_->program(), keys);
    if (!mentioned) return Failed(mentioned.error());
    for (const auto& method : *mentioned) {
      for (const auto& delegate : method) {
        for (const size_t key : delegate) is_wanted[key] = true;
      }
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      if (is_wanted[i] && !Key(keys[i])) return false;
    }
    return true;
  }

  bool Key(std::string_view key) {
    path_.assign({{"key", 0, key}});
    const std::optional<ContentPlace> left = a_->Find(key), right = b_->Find(key);
    if (left.has_value() != right.has_value())
      return Differs(left ? "the other does not have it" : "only the other has it");
    return Bytes(*left, *right, "it");
  }

  static constexpr uint64_t kLong = 4096;  // of these it is noted that they are the same

  const SameOptions& options_;
  const ProgramContents* a_ = nullptr;
  const ProgramContents* b_ = nullptr;
  const tables::Program* left_ = nullptr;
  const tables::Program* right_ = nullptr;
  std::vector<Step> path_;
  std::set<std::tuple<const Source*, uint64_t, const Source*, uint64_t, uint64_t>> compared_;  // and the same
  Status status_;
  Found found_;
};

Status CheckKnown(const Container& file) {
  if (file.unknown_fields().empty()) return {};
  return Unsupported(file.unknown_fields().front() + ", which this version does not know and so cannot compare")
      .In(file.name());
}

std::vector<const NamedEntry*> ByKey(const Container& file) {
  std::vector<const NamedEntry*> entries;
  for (const NamedEntry& entry : file.named_data()) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  return entries;
}

Result<Found> CompareData(const Container& file, const Container& other) {
  const std::vector<const NamedEntry*> left = ByKey(file), right = ByKey(other);
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const bool only_left = i >= right.size() || (i < left.size() && left[i]->key < right[i]->key);
    if (only_left) return Found({"key " + Quoted(left[i]->key), "the other does not have it"});
    const std::string where = "key " + Quoted(right[i]->key);
    if (i >= left.size() || right[i]->key < left[i]->key) return Found({where, "only the other has it"});
    if (left[i]->layout != right[i]->layout) return Found({where, "has another layout"});
    if (left[i]->extent.size != right[i]->extent.size) {
      return Found({where, Text("has ", left[i]->extent.size, " bytes, the other ", right[i]->extent.size)});
    }
    PTEEDIT_ASSIGN(const bool same, SameBytes(*file.source(), left[i]->extent, *other.source(), right[i]->extent));
    if (!same) return Found({where, "has other bytes"});
  }
  return Found();
}

Result<Found> ComparePackages(const Container& file, const Container& other) {
  const Extent left = file.state().package->graph, right = other.state().package->graph;
  if (left.size != right.size)
    return Found({"program graph", Text("has ", left.size, " bytes, the other ", right.size)});
  PTEEDIT_ASSIGN(const bool same, SameBytes(*file.source(), left, *other.source(), right));
  return same ? CompareData(file, other) : Found({"program graph", "has other bytes"});
}

}  // namespace

Result<std::optional<Difference>> FindDifference(const ProgramSet& set, const ProgramSet& other,
                                                 const SameOptions& options) {
  const FileKind kind = set.file().kind();
  if (kind != other.file().kind())
    return Found({"", Text("is a .", KindName(kind), ", the other a .", KindName(other.file().kind()))});
  PTEEDIT_TRY(CheckKnown(set.file()));
  PTEEDIT_TRY(CheckKnown(other.file()));
  if (kind == FileKind::kNative) return ComparePackages(set.file(), other.file());
  if (kind == FileKind::kData) return CompareData(set.file(), other.file());
  if (kind == FileKind::kBundle) {
    PTEEDIT_ASSIGN(Found found, Comparer(options).TestSuites(set.file(), other.file()));
    if (found) return found;
    return FindDifference(set.Inside(), other.Inside(), options);
  }
  PTEEDIT_ASSIGN(const ProgramContents left, ProgramContents::Read(set));
  PTEEDIT_ASSIGN(const ProgramContents right, ProgramContents::Read(other));
  return Comparer(options).Programs(left, right);
}

}  // namespace pteedit
