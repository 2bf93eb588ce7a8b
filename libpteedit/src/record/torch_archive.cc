#include "record/torch_archive.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "formats/zip_layout.h"
#include "io/strided_source.h"
#include "program/layout.h"
#include "pteedit/try.h"
#include "record/pickle.h"
#include "record/tensor_elements.h"
#include "record/zip_contents.h"

namespace pteedit {
namespace {

constexpr uint64_t kMaxInflatedBytes = uint64_t{256} << 20;  // exporters deflate no weights

using Kind = PickleNode::Kind;

constexpr std::string_view kPickleEntry = "data.pkl";
constexpr uint64_t kMaxPickleBytes = uint64_t{8} << 20;
constexpr uint64_t kMaxByteOrderBytes = 16;
// Lists may share others, so that a few bytes stand for very many values.
constexpr size_t kMaxDepth = 16, kMaxValues = 100'000;

// Far more than values of a model share.
constexpr uint64_t kMaxRepeats = 64, kFewBytes = uint64_t{4} << 20;

struct StorageFacts {
  std::string_view name;
  int8_t type;
};
// By PyTorch's numbers.
constexpr std::array<StorageFacts, 12> kStorages = {{{"FloatStorage", 6},
                                                     {"DoubleStorage", 7},
                                                     {"HalfStorage", 5},
                                                     {"BFloat16Storage", 15},
                                                     {"LongStorage", 4},
                                                     {"IntStorage", 3},
                                                     {"ShortStorage", 2},
                                                     {"CharStorage", 1},
                                                     {"ByteStorage", 0},
                                                     {"BoolStorage", 11},
                                                     {"ComplexFloatStorage", 9},
                                                     {"ComplexDoubleStorage", 10}}};
// Types that have no storages of their own.
constexpr std::array<StorageFacts, 8> kStorageTypes = {{{"uint16", 27},
                                                        {"uint32", 28},
                                                        {"uint64", 29},
                                                        {"complex32", 8},
                                                        {"float8_e5m2", 23},
                                                        {"float8_e4m3fn", 24},
                                                        {"float8_e5m2fnuz", 25},
                                                        {"float8_e4m3fnuz", 26}}};

constexpr std::string_view kUtils = "torch._utils", kRebuild = "_rebuild_tensor_v2",
                           kRebuildTyped = "_rebuild_tensor_v3", kParameter = "_rebuild_parameter",
                           kFromType = "_rebuild_from_type_v2", kTensor = "Tensor", kUntyped = "UntypedStorage",
                           kOrdered = "OrderedDict";

template <size_t count>
std::optional<int8_t> TypeCalled(const std::array<StorageFacts, count>& all, std::string_view name) {
  for (const StorageFacts& facts : all) {
    if (facts.name == name) return facts.type;
  }
  return std::nullopt;
}

bool IsKnown(std::string_view module, std::string_view name) {
  if (module == "torch") return TypeCalled(kStorages, name) || TypeCalled(kStorageTypes, name) || name == kTensor;
  if (module == "torch._tensor") return name == kFromType;
  if (module == kUtils) return name == kRebuild || name == kRebuildTyped || name == kParameter;
  return (module == "torch.storage" && name == kUntyped) || (module == "collections" && name == kOrdered);
}

Error NoTensor() { return Malformed("pickle calls for something that is no tensor"); }

// Of all tensors in it; few enough not to wrap.
uint64_t TensorBytes(const DebugValue& value) {
  uint64_t bytes = value.tensor.bytes;
  for (const DebugValue& item : value.items) bytes += TensorBytes(item);
  return bytes;
}

class PickleConverter {
 public:
  PickleConverter(const Pickle& pickle, const OpenStorage& open_storage)
      : pickle_(pickle), open_storage_(open_storage) {}

  Result<TorchValues> Convert() {
    TorchValues values;
    const PickleNode& root = pickle_.nodes[pickle_.root];
    values.is_dict = root.kind == Kind::kDict;
    if (!values.is_dict) {
      PTEEDIT_ASSIGN(DebugValue value, ConvertNode(pickle_.root, 0));
      values.entries.emplace_back("", std::move(value));
      return values;
    }
    PTEEDIT_ASSIGN(DebugValue dict, ConvertDict(root, 0));
    for (size_t i = 0; i < dict.items.size(); ++i)
      values.entries.emplace_back(std::move(dict.keys[i]), std::move(dict.items[i]));
    return values;
  }

 private:
  Result<DebugValue> ConvertNode(size_t index, size_t depth) {
    using Shown = DebugValue::Kind;
    if (depth > kMaxDepth) return Unsupported(Text("pickle has lists in lists, more than ", kMaxDepth, " deep"));
    if (++values_ > kMaxValues) return Unsupported(Text("pickle stands for more than ", kMaxValues, " values"));
    const PickleNode& node = pickle_.nodes[index];
    DebugValue value;
    value.number = node.number;
    value.real = node.real;
    switch (node.kind) {
      case Kind::kNone:
        return value;
      case Kind::kBool:
        value.kind = Shown::kBool;
        return value;
      case Kind::kInt:
        value.kind = Shown::kInt;
        return value;
      case Kind::kReal:
        value.kind = Shown::kDouble;
        return value;
      case Kind::kText: {
        value.kind = Shown::kText;
        PTEEDIT_ASSIGN(value.text, TextOf(node));
        return value;
      }
      case Kind::kList:
      case Kind::kTuple:
        return ConvertList(node, depth);
      case Kind::kDict:
        return ConvertDict(node, depth);
      case Kind::kCall:
        return ConvertTensor(node);
      default:
        return Unsupported("pickle has values that are neither tensors nor numbers, texts, lists or dictionaries");
    }
  }

  Result<DebugValue> ConvertList(const PickleNode& node, size_t depth) {
    DebugValue list;
    list.kind = DebugValue::Kind::kList;
    for (const size_t item : node.items) {
      PTEEDIT_ASSIGN(DebugValue value, ConvertNode(item, depth + 1));
      list.items.push_back(std::move(value));
    }
    return list;
  }

  Result<DebugValue> ConvertDict(const PickleNode& node, size_t depth) {
    DebugValue dict;
    dict.kind = DebugValue::Kind::kDict;
    for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
      const PickleNode& key = pickle_.nodes[node.items[i]];
      if (key.kind != Kind::kText) return Unsupported("pickle has a dictionary whose keys are no texts");
      PTEEDIT_ASSIGN(std::string text, TextOf(key));
      dict.keys.push_back(std::move(text));
      PTEEDIT_ASSIGN(DebugValue value, ConvertNode(node.items[i + 1], depth + 1));
      dict.items.push_back(std::move(value));
    }
    return dict;
  }

  // One may stand at many places.
  Result<std::string> TextOf(const PickleNode& node) {
    text_bytes_ += node.text.size();
    if (text_bytes_ > kMaxPickleBytes) return Unsupported("pickle repeats its texts too often");
    return std::string(node.text);
  }

  // (storage, offset, sizes, strides, requires_grad, hooks[, type][, metadata])
  Result<DebugValue> ConvertTensor(const PickleNode& called) const {
    const auto [callee, arguments] = Unwrapped(CallOf(called));
    const bool is_typed = callee.text == kRebuildTyped;
    const size_t count = is_typed ? 7 : 6;
    const bool is_rebuilt = callee.kind == Kind::kGlobal && callee.module == kUtils && callee.text != kParameter;
    if (!is_rebuilt || arguments.kind != Kind::kTuple || arguments.items.size() < count) return NoTensor();
    for (size_t i = count; i < arguments.items.size(); ++i) {
      const PickleNode& more = pickle_.nodes[arguments.items[i]];
      if (more.kind != Kind::kNone && !more.items.empty())
        return Unsupported("pickle has a tensor that is conjugated or negated when it is read");
    }
    DebugValue value;
    value.kind = DebugValue::Kind::kTensor;
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> storage, StorageOf(Argument(arguments, 0)));
    PTEEDIT_ASSIGN(value.tensor.scalar_type, TypeOf(arguments, is_typed));
    PTEEDIT_TRY(Place(arguments, storage, value.tensor));
    return value;
  }

  struct Call {
    const PickleNode& callee;
    const PickleNode& arguments;
  };
  Call CallOf(const PickleNode& node) const { return {pickle_.nodes[node.items[0]], pickle_.nodes[node.items[1]]}; }

  // The call that makes the tensor: what a parameter is made of (tensor, requires_grad, hooks), or a tensor with
  // attributes (function, type, arguments, attributes), which are nothing to us.
  Call Unwrapped(Call call) const {
    const PickleNode& arguments = call.arguments;
    if (call.callee.text == kParameter && !arguments.items.empty()) {
      const PickleNode& tensor = Argument(arguments, 0);
      return tensor.kind == Kind::kCall ? WithoutAttributes(CallOf(tensor)) : call;
    }
    return WithoutAttributes(call);
  }

  Call WithoutAttributes(Call call) const {
    if (call.callee.text != kFromType || call.arguments.items.size() < 3) return call;
    return {Argument(call.arguments, 0), Argument(call.arguments, 2)};
  }

  const PickleNode& Argument(const PickleNode& tuple, size_t index) const { return pickle_.nodes[tuple.items[index]]; }

  Status Place(const PickleNode& arguments, const std::shared_ptr<const Source>& storage, TensorValue& tensor) const {
    StridedLayout layout;
    layout.element_bytes = StoredElementSize(tensor.scalar_type).value_or(1);
    if (Argument(arguments, 1).kind != Kind::kInt) return NoTensor();
    layout.offset = Argument(arguments, 1).number;
    PTEEDIT_ASSIGN(layout.sizes, NumbersOf(Argument(arguments, 2)));
    PTEEDIT_ASSIGN(layout.strides, NumbersOf(Argument(arguments, 3)));
    tensor.sizes = layout.sizes;
    Result<std::shared_ptr<const Source>> data = MakeStridedSource(storage, std::move(layout));
    if (!data) {
      Error error = data.error();
      error.message = "tensor of the pickle " + error.message;
      return error;
    }
    tensor.bytes = (*data)->size();
    if (tensor.bytes != 0) tensor.data = *std::move(data);
    return {};
  }

  Result<std::vector<int64_t>> NumbersOf(const PickleNode& tuple) const {
    std::vector<int64_t> numbers;
    if (tuple.kind != Kind::kTuple || tuple.items.size() > kMaxDimensions) return NoTensor();
    for (const size_t item : tuple.items) {
      if (pickle_.nodes[item].kind != Kind::kInt) return NoTensor();
      numbers.push_back(pickle_.nodes[item].number);
    }
    return numbers;
  }

  // Its id: ("storage", type, key, device, elements).
  Result<const PickleNode*> StorageId(const PickleNode& storage) const {
    if (storage.kind != Kind::kPersistent) return NoTensor();
    const PickleNode& id = pickle_.nodes[storage.items[0]];
    const bool is_storage = id.kind == Kind::kTuple && id.items.size() == 5 && Argument(id, 0).text == "storage" &&
                            Argument(id, 1).kind == Kind::kGlobal && Argument(id, 2).kind == Kind::kText;
    if (!is_storage) return NoTensor();
    return &id;
  }

  Result<std::shared_ptr<const Source>> StorageOf(const PickleNode& storage) const {
    PTEEDIT_ASSIGN(const PickleNode* id, StorageId(storage));
    return open_storage_(Argument(*id, 2).text);
  }

  Result<int8_t> TypeOf(const PickleNode& arguments, bool is_typed) const {
    std::optional<int8_t> type;
    if (is_typed) {
      type = TypeCalled(kStorageTypes, Argument(arguments, 6).text);
    } else {
      PTEEDIT_ASSIGN(const PickleNode* id, StorageId(Argument(arguments, 0)));
      type = TypeCalled(kStorages, Argument(*id, 1).text);
    }
    if (!type) return NoTensor();
    return *type;
  }

  const Pickle& pickle_;
  const OpenStorage& open_storage_;
  size_t values_ = 0, text_bytes_ = 0;
};

class Archive {
 public:
  static Result<Archive> Open(const std::shared_ptr<const Source>& source) {
    PTEEDIT_ASSIGN(ZipFile zip, ZipFile::Open(source));
    Archive archive(source, std::move(zip));
    for (const ZipEntry& entry : archive.zip_.entries()) {
      const std::string_view name = entry.name;
      if (name.substr(name.rfind('/') + 1) == kPickleEntry) archive.pickle_ = &entry;
    }
    if (archive.pickle_ != nullptr) return archive;
    return Unsupported(Text("archive has no entry '", kPickleEntry, "', as torch.save writes it"));
  }

  Result<TorchValues> Read() const {
    const std::string folder = pickle_->name.substr(0, pickle_->name.size() - kPickleEntry.size());
    PTEEDIT_TRY(CheckByteOrder(folder));
    PTEEDIT_ASSIGN(const std::string bytes, ReadContents(zip_, *pickle_, kMaxPickleBytes));
    const std::map<std::string_view, const ZipEntry*> storages = StoragesIn(folder + "data/");
    return ReadTorchPickle(bytes, [&](std::string_view key) -> Result<std::shared_ptr<const Source>> {
      const auto found = storages.find(key);
      if (found == storages.end()) return Malformed(Text("archive lacks storage ", Quoted(key)));
      const ZipEntry& entry = *found->second;
      const bool is_stored = entry.method == 0 && !entry.is_encrypted && entry.stored.size == entry.bytes;
      if (is_stored) return MakeWindowSource(source_, entry.stored);
      return Unsupported(Text("storage ", Quoted(key), " is packed, which torch.save does not do"));
    });
  }

 private:
  Archive(std::shared_ptr<const Source> source, ZipFile zip) : source_(std::move(source)), zip_(std::move(zip)) {}

  Status CheckByteOrder(const std::string& folder) const {
    const ZipEntry* entry = zip_.Find(folder + "byteorder");
    if (entry == nullptr) return {};
    PTEEDIT_ASSIGN(const std::string order, ReadContents(zip_, *entry, kMaxByteOrderBytes));
    if (order == "little") return {};
    return Unsupported(Text("archive has byte order ", Quoted(order), ", 'little' expected"));
  }

  std::map<std::string_view, const ZipEntry*> StoragesIn(const std::string& folder) const {
    std::map<std::string_view, const ZipEntry*> storages;
    for (const ZipEntry& entry : zip_.entries()) {
      const std::string_view name = entry.name;
      if (name.starts_with(folder)) storages[name.substr(folder.size())] = &entry;
    }
    return storages;
  }

  std::shared_ptr<const Source> source_;
  ZipFile zip_;
  const ZipEntry* pickle_ = nullptr;  // in zip_, whose entries stay where they are when it is moved
};

}  // namespace

Result<TorchValues> ReadTorchPickle(std::string_view bytes, const OpenStorage& open_storage) {
  PTEEDIT_ASSIGN(const Pickle pickle, ReadPickle(bytes, IsKnown));
  return PickleConverter(pickle, open_storage).Convert();
}

Result<TorchValues> ReadTorchArchive(const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const Archive archive, Archive::Open(source));
  PTEEDIT_ASSIGN(TorchValues values, archive.Read());
  uint64_t bytes = 0;
  for (const auto& [name, value] : values.entries) bytes += TensorBytes(value);
  if (bytes / kMaxRepeats > source->size() + kFewBytes) {
    return Unsupported(Text("archive has tensors that repeat their storages more than ", kMaxRepeats, " times"));
  }
  return values;
}

Result<TorchValues> ReadTorchEntry(const ZipFile& zip, const ZipEntry& entry) {
  if (entry.method == kZipStored && !entry.is_encrypted && entry.stored.size == entry.bytes) {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> stored, MakeWindowSource(zip.source(), entry.stored));
    return ReadTorchArchive(stored);
  }
  PTEEDIT_ASSIGN(const std::string inflated, ReadContents(zip, entry, kMaxInflatedBytes));
  return ReadTorchArchive(MakeMemorySource(zip.source()->name(), {inflated.begin(), inflated.end()}));
}

}  // namespace pteedit
