#include "delegates/coreml_files.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "formats/json_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kCoremlPieceBytes = uint64_t{1} << 16;
constexpr uint64_t kMaxCoremlListBytes = uint64_t{8} << 20;
constexpr uint64_t kFile = 0, kFolder = 1;
constexpr size_t kMaxPathBytes = 1024;
constexpr size_t kMaxNodes = 10'000;
constexpr std::string_view kListEnd = ":\"sedon\"{";  // {"nodes":, reversed, as exporters write it

// Tells where the object that a text begins with ends.
class ObjectEnd {
 public:
  // Whether `byte` is the last one.
  bool IsAt(char byte) {
    if (std::exchange(is_escaped_, false)) return false;
    if (in_text_) {
      is_escaped_ = byte == '\\';
      in_text_ = byte != '"';
      return false;
    }
    if (byte == '"') in_text_ = true;
    if (byte == '{' || byte == '[') ++depth_;
    return (byte == '}' || byte == ']') && --depth_ == 0;
  }

 private:
  size_t depth_ = 0;
  bool in_text_ = false;
  bool is_escaped_ = false;
};

Result<std::string> ReadList(const BlobInput& input) {
  std::string text;
  ObjectEnd end;
  for (uint64_t at = input.blob.size; at != 0;) {
    const uint64_t size = std::min(at, kCoremlPieceBytes);
    PTEEDIT_ASSIGN(const BlobBytes piece, ReadPart(input, {at - size, size}, kCoremlPieceBytes, "list of files"));
    for (uint64_t i = size; i-- > 0;) {
      text.push_back(static_cast<char>(piece.bytes.data[i]));
      if (text.front() != '{') {
        return Unsupported(Text("blob ends with ", Quoted(text), ", neither 'CMJR' at its start nor '{' at its end"));
      }
      if (end.IsAt(text.back())) return text;
    }
    if (text.size() > kMaxCoremlListBytes) {
      return Unsupported(Text("list of files has more than ", kMaxCoremlListBytes, " bytes, no more are looked into"));
    }
    at -= size;
  }
  return Unsupported(Text("list of files does not end before the blob's start (", input.blob.size, " bytes)"));
}

class Tree {
 public:
  Tree(const JsonValue& list, uint64_t data_size) : data_size_(data_size) {
    const JsonValue* nodes = list.Find("nodes");
    if (nodes != nullptr && nodes->kind == JsonValue::Kind::kList) nodes_ = &nodes->items;
  }

  Result<std::vector<CoremlFile>> List() && {
    if (nodes_ == nullptr || nodes_->empty()) return Unsupported("list of files has no nodes");
    if (nodes_->size() > kMaxNodes) {
      return Unsupported(Text("list of files has ", nodes_->size(), " nodes, at most ", kMaxNodes, " are looked into"));
    }
    seen_.assign(nodes_->size(), false);
    std::vector<std::pair<size_t, std::string>> open = {{nodes_->size() - 1, ""}};
    while (!open.empty()) {
      const auto [index, path] = std::move(open.back());
      open.pop_back();
      PTEEDIT_TRY(AddNode(index, path, open));
    }
    std::ranges::sort(files_, {},
                      [](const CoremlFile& file) { return std::pair(file.extent.offset, file.extent.size); });
    PTEEDIT_TRY(CheckDisjoint());
    std::ranges::sort(files_, {}, &CoremlFile::path);
    const auto twice = std::ranges::adjacent_find(files_, {}, &CoremlFile::path);
    if (twice != files_.end()) return Unsupported(Text("path ", Quoted(twice->path), " is that of two files"));
    return std::move(files_);
  }

 private:
  // Leaves what a folder holds in `open`.
  Status AddNode(size_t index, const std::string& path, std::vector<std::pair<size_t, std::string>>& open) {
    if (index >= nodes_->size()) {
      return Unsupported(Text("path ", Quoted(path), " is node ", index,
                              " of the files, which does not exist: there are ", nodes_->size()));
    }
    if (seen_[index])
      return Unsupported(Text("path ", Quoted(path), " is node ", index, ", which has another path too"));
    seen_[index] = true;
    const JsonValue& node = (*nodes_)[index];
    const JsonValue* kind = node.Find("kind");
    const bool is_number = kind != nullptr && kind->kind == JsonValue::Kind::kNumber;
    if (is_number && kind->number == kFile) return AddFile(node, path);
    const JsonValue* children = node.Find("children");
    if (!is_number || kind->number != kFolder) {
      return Unsupported(Text("node ", index, " of the files is neither file nor folder"));
    }
    if (children == nullptr || children->kind != JsonValue::Kind::kObject) return {};
    if (children->items.size() + open.size() > nodes_->size()) {
      return Unsupported(
          Text("folder ", Quoted(path), " has ", children->items.size(), " files, more than there are nodes"));
    }
    for (size_t i = 0; i < children->items.size(); ++i) {
      const std::string& name = children->names[i];
      PTEEDIT_TRY(CheckName(name, path));
      if (children->items[i].kind != JsonValue::Kind::kNumber) {
        return Unsupported(Text("file ", Quoted(name), " in ", Quoted(path), " has no node"));
      }
      open.emplace_back(static_cast<size_t>(children->items[i].number), path.empty() ? name : Text(path, '/', name));
    }
    return {};
  }

  // Somebody may write the files to a disk.
  static Status CheckName(const std::string& name, const std::string& path) {
    const bool is_path = name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos;
    if (name.empty() || name == "." || name == ".." || is_path) {
      return Unsupported(Text("file in ", Quoted(path), " is called ", Quoted(name), ", which is no name of a file"));
    }
    if (path.size() + 1 + name.size() > kMaxPathBytes) {
      return Unsupported(Text("path of file ", Quoted(name), " has more than ", kMaxPathBytes, " bytes"));
    }
    return {};
  }

  Status AddFile(const JsonValue& node, const std::string& path) {
    const JsonValue* region = node.Find("dataRegion");
    const JsonValue* offset = region != nullptr ? region->Find("offset") : nullptr;
    const JsonValue* size = region != nullptr ? region->Find("size") : nullptr;
    if (path.empty() || offset == nullptr || size == nullptr) {
      return Unsupported(Text("file ", Quoted(path), " does not say where its bytes are"));
    }
    const Extent extent{offset->number, size->number};
    if (!Fits(extent, data_size_)) {
      return Unsupported(
          Text("file ", Quoted(path), " of ", Words(extent), " is not inside the files' ", data_size_, " bytes"));
    }
    files_.push_back({path, extent});
    return {};
  }

  Status CheckDisjoint() const {
    const CoremlFile* last = nullptr;
    for (const CoremlFile& file : files_) {
      if (file.extent.size == 0) continue;
      if (last != nullptr && file.extent.offset < last->extent.offset + last->extent.size) {
        return Unsupported(
            Text("files ", Quoted(last->path), " and ", Quoted(file.path), " overlap at ", Hex(file.extent.offset)));
      }
      last = &file;
    }
    return {};
  }

  uint64_t data_size_;
  const std::vector<JsonValue>* nodes_ = nullptr;
  std::vector<bool> seen_;
  std::vector<CoremlFile> files_;
};

}  // namespace

const CoremlFile* CoremlFiles::Find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(files, path, {}, &CoremlFile::path);
  return found == files.end() || found->path != path ? nullptr : &*found;
}

Result<CoremlFiles> ReadCoremlFiles(const BlobInput& input) {
  PTEEDIT_ASSIGN(const std::string text, ReadList(input));
  PTEEDIT_ASSIGN(const JsonValue list, ParseJson(text, "list of files"));
  const uint64_t data_size = input.blob.size - text.size();
  PTEEDIT_ASSIGN(std::vector<CoremlFile> files, Tree(list, data_size).List());
  return CoremlFiles{std::move(files), {data_size, text.size()}};
}

std::vector<BlobPart> PartsOf(const CoremlFiles& files, uint64_t blob_size) {
  std::vector<BlobPart> parts;
  for (const CoremlFile& file : files.files) parts.push_back({file.path, file.extent});
  std::ranges::sort(parts, {}, [](const BlobPart& part) { return part.extent.offset; });
  parts.push_back({"list of files", files.list});
  return FillGaps(parts, blob_size);
}

Result<std::vector<BlobPart>> CoremlPartsIn(const BlobInput& input) {
  if (input.blob.size < kListEnd.size()) return std::vector<BlobPart>();
  const Extent end{input.blob.size - kListEnd.size(), kListEnd.size()};
  PTEEDIT_ASSIGN(const BlobBytes last, ReadPart(input, end, end.size, "list of files"));
  if (ViewOf(last) != kListEnd) return std::vector<BlobPart>();
  const Result<CoremlFiles> files = ReadCoremlFiles(input);
  if (files) return PartsOf(*files, input.blob.size);
  if (files.error().code == ErrorCode::kUnsupported) return std::vector<BlobPart>();
  return files.error();
}

}  // namespace pteedit
