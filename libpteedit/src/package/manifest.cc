#include "pteedit/package/manifest.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/checked.h"
#include "base/text.h"
#include "formats/json_reader.h"
#include "io/digest.h"
#include "io/temporary_file.h"
#include "package/manifest_names.h"
#include "package/packs.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kMaxManifestValues = 500'000;  // which take some 65 MB
constexpr size_t kNameDigits = 12;
constexpr FileRole kRoles[] = {FileRole::kProgram, FileRole::kShared,   FileRole::kVariant,
                               FileRole::kIndex,   FileRole::kIncluded, FileRole::kDelta};

bool IsHexDigit(char letter) { return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f'); }

bool IsHash(std::string_view text) {
  return text.size() == kSha256Digits && std::all_of(text.begin(), text.end(), IsHexDigit);
}

// Members of the object that messages call `place`.
class ObjectReader {
 public:
  ObjectReader(const JsonValue& object, std::string place) : object_(object), place_(std::move(place)) {}

  // That it is an object and has no member twice, of which readers would take different ones.
  Status Check() const {
    if (object_.kind != JsonValue::Kind::kObject) return Malformed(place_ + " is no object");
    std::set<std::string_view> names;
    for (const std::string& name : object_.names) {
      if (!names.insert(name).second) return Malformed(Text(place_, " has member ", Quoted(name), " twice"));
    }
    return {};
  }

  Result<std::string> Word(const char* name) const {
    PTEEDIT_ASSIGN(const JsonValue* value, Find(name, JsonValue::Kind::kText, "text"));
    return value->text;
  }
  Result<std::string> Hash(const char* name) const {
    PTEEDIT_ASSIGN(std::string text, Word(name));
    if (IsHash(text)) return text;
    return Malformed(
        Text(place_, " has ", Quoted(text), " as its ", name, ", 64 lower-case hexadecimal digits expected"));
  }
  Result<uint64_t> Count(const char* name) const {
    PTEEDIT_ASSIGN(const JsonValue* value, Find(name, JsonValue::Kind::kNumber, "whole number"));
    if (value->is_count) return value->number;
    return Malformed(Text(place_, " has ", value->written, " as its ", name, ", a whole number expected"));
  }
  Result<const std::vector<JsonValue>*> List(const char* name) const {
    PTEEDIT_ASSIGN(const JsonValue* value, Find(name, JsonValue::Kind::kList, "list"));
    return &value->items;
  }
  Result<const JsonValue*> Object(const char* name) const { return Find(name, JsonValue::Kind::kObject, "object"); }
  const JsonValue* FindAny(const char* name) const { return object_.Find(name); }
  const std::string& place() const { return place_; }

 private:
  Result<const JsonValue*> Find(const char* name, JsonValue::Kind kind, const char* kind_name) const {
    const JsonValue* value = object_.Find(name);
    if (value != nullptr && value->kind == kind) return value;
    return Malformed(Text(place_, " has no ", kind_name, " '", name, "'"));
  }

  const JsonValue& object_;
  std::string place_;
};

// Calls read(reader) -> Result<T> for each object in the list `name`, which messages call "`row` 3".
template <class Read>
auto ReadRows(const ObjectReader& object, const char* name, const std::string& row, Read read)
    -> Result<std::vector<std::decay_t<decltype(*read(object))>>> {
  std::vector<std::decay_t<decltype(*read(object))>> rows;
  PTEEDIT_ASSIGN(const std::vector<JsonValue>* items, object.List(name));
  for (size_t i = 0; i < items->size(); ++i) {
    const ObjectReader reader((*items)[i], Text(row, " ", i));
    PTEEDIT_TRY(reader.Check());
    PTEEDIT_ASSIGN(auto value, read(reader));
    rows.push_back(std::move(value));
  }
  return rows;
}

Status CheckName(const ObjectReader& object, const std::string& name, FileRole role, const std::string& sha256) {
  const std::string stem = ReleaseFileName(role, sha256, {});
  if (name.starts_with(stem) && IsExtension(std::string_view(name).substr(stem.size()))) return {};
  return Malformed(Text(object.place(), " is called ", Quoted(name), ", '", stem, ".<extension>' expected"));
}

Result<CompressedFile> ReadCompressed(const ObjectReader& object, FileRole role) {
  PTEEDIT_TRY(object.Check());
  CompressedFile file;
  PTEEDIT_ASSIGN(file.file, object.Word("file"));
  PTEEDIT_ASSIGN(file.bytes, object.Count("bytes"));
  PTEEDIT_ASSIGN(file.sha256, object.Hash("sha256"));
  PTEEDIT_TRY(CheckName(object, file.file, role, file.sha256));
  return file;
}

Result<FileRole> ReadRole(const ObjectReader& object) {
  PTEEDIT_ASSIGN(const std::string name, object.Word("role"));
  for (const FileRole role : kRoles) {
    if (name == RoleName(role)) return role;
  }
  return Malformed(Text(object.place(), " has the unknown role ", Quoted(name)));
}

Result<ReleaseFile> ReadFile(const ObjectReader& object) {
  ReleaseFile file;
  PTEEDIT_ASSIGN(file.file, object.Word("file"));
  PTEEDIT_ASSIGN(file.role, ReadRole(object));
  PTEEDIT_ASSIGN(file.bytes, object.Count("bytes"));
  PTEEDIT_ASSIGN(file.sha256, object.Hash("sha256"));
  PTEEDIT_TRY(CheckName(object, file.file, file.role, file.sha256));
  if (file.role == FileRole::kIncluded) {
    PTEEDIT_ASSIGN(file.name, object.Word("name"));
    if (!IsPortableName(file.name)) {
      return Malformed(Text(object.place(), " has the name ", Quoted(file.name), ", which is not portable"));
    }
  }
  if (const JsonValue* compressed = object.FindAny("compressed")) {
    PTEEDIT_ASSIGN(file.compressed, ReadCompressed({*compressed, object.place() + " compressed"}, file.role));
  }
  return file;
}

Result<std::map<std::string, std::string>> ReadLabels(const ObjectReader& variant) {
  std::map<std::string, std::string> labels;
  PTEEDIT_ASSIGN(const JsonValue* object, variant.Object("labels"));
  for (size_t i = 0; i < object->items.size(); ++i) {
    const std::string& name = object->names[i];
    const JsonValue& value = object->items[i];
    if (value.kind != JsonValue::Kind::kText || !IsShownAsItIs(name) || !IsShownAsItIs(value.text)) {
      return Malformed(Text(variant.place(), " has a label ", Quoted(name), " that is no plain text"));
    }
    if (!labels.emplace(name, value.text).second) {
      return Malformed(Text(variant.place(), " has the label ", Quoted(name), " twice"));
    }
  }
  return labels;
}

Result<std::vector<std::string>> ReadNames(const ObjectReader& object, const char* member) {
  std::vector<std::string> names;
  PTEEDIT_ASSIGN(const std::vector<JsonValue>* items, object.List(member));
  for (const JsonValue& item : *items) {
    if (item.kind != JsonValue::Kind::kText)
      return Malformed(Text(object.place(), " has something in '", member, "' that is no text"));
    names.push_back(item.text);
  }
  return names;
}

Result<ReleaseVariant> ReadVariant(const ObjectReader& object) {
  ReleaseVariant variant;
  PTEEDIT_ASSIGN(variant.name, object.Word("name"));
  if (!IsShownAsItIs(variant.name)) {
    return Malformed(Text(object.place(), " has the name ", Quoted(variant.name), ", 1 to 255 bytes of text expected"));
  }
  PTEEDIT_ASSIGN(variant.labels, ReadLabels(object));
  PTEEDIT_ASSIGN(variant.files, ReadNames(object, "files"));
  PTEEDIT_ASSIGN(variant.download_bytes, object.Count("download_bytes"));
  PTEEDIT_ASSIGN(variant.installed_bytes, object.Count("installed_bytes"));
  PTEEDIT_ASSIGN(variant.largest_file_bytes, object.Count("largest_file_bytes"));
  PTEEDIT_ASSIGN(variant.min_runtime, object.Word("min_runtime"));
  if (!IsShownAsItIs(variant.min_runtime)) return Malformed(object.place() + " has a 'min_runtime' that is no version");
  PTEEDIT_ASSIGN(variant.data_files, object.Count("data_files"));
  if (object.FindAny("packs") != nullptr) {
    PTEEDIT_ASSIGN(variant.packs, ReadNames(object, "packs"));
  }
  if (object.FindAny("targets") != nullptr) {
    PTEEDIT_ASSIGN(variant.targets, ReadNames(object, "targets"));
    for (const std::string& target : variant.targets) {
      if (!IsShownAsItIs(target))
        return Malformed(Text(object.place(), " has the target ", Quoted(target), ", 1 to 255 bytes of text expected"));
    }
  }
  return variant;
}

Result<ReleasePack> ReadPack(const ObjectReader& object) {
  ReleasePack pack;
  PTEEDIT_ASSIGN(pack.name, object.Word("name"));
  if (!IsPortableName(pack.name))
    return Malformed(Text(object.place(), " has the name ", Quoted(pack.name), ", which is not portable"));
  PTEEDIT_ASSIGN(pack.bytes, object.Count("bytes"));
  PTEEDIT_ASSIGN(pack.files, ReadNames(object, "files"));
  return pack;
}

Result<ReleaseBase> ReadBase(const ObjectReader& object) {
  ReleaseBase base;
  PTEEDIT_ASSIGN(base.file, object.Word("file"));
  PTEEDIT_ASSIGN(base.sha256, object.Hash("sha256"));
  return base;
}

Result<DeltaDictionary> ReadPlace(const ObjectReader& object, const char* name) {
  PTEEDIT_ASSIGN(const std::vector<JsonValue>* items, object.List(name));
  const bool is_place =
      items->size() == 3 && (*items)[0].kind == JsonValue::Kind::kText && (*items)[1].is_count && (*items)[2].is_count;
  if (!is_place) return Malformed(Text(object.place(), " has a '", name, "' that is no file, offset and length"));
  const std::string& file = (*items)[0].text;
  if (IsPortableName(file)) return DeltaDictionary{file, {(*items)[1].number, (*items)[2].number}};
  return Malformed(Text(object.place(), " names ", Quoted(file), ", which is not portable"));
}

Result<DeltaOperation> ReadOperation(const ObjectReader& object) {
  DeltaOperation operation;
  operation.is_copy = object.FindAny("copy") != nullptr;
  if (operation.is_copy && object.FindAny("take") != nullptr) return Malformed(object.place() + " is copy and take");
  PTEEDIT_ASSIGN(DeltaDictionary place, ReadPlace(object, operation.is_copy ? "copy" : "take"));
  operation.file = std::move(place.file);
  operation.place = place.place;
  const bool has_dictionary = object.FindAny("dictionary") != nullptr;
  if (object.FindAny("unpacked_bytes") == nullptr) {
    if (has_dictionary) return Malformed(object.place() + " has a dictionary and no 'unpacked_bytes'");
    return operation;
  }
  if (operation.is_copy) return Malformed(object.place() + " is copy and has 'unpacked_bytes'");
  PTEEDIT_ASSIGN(operation.unpacked_bytes, object.Count("unpacked_bytes"));
  if (!has_dictionary) return operation;
  PTEEDIT_ASSIGN(operation.dictionary, ReadPlace(object, "dictionary"));
  return operation;
}

Result<DeltaFile> ReadDeltaFile(const ObjectReader& object) {
  DeltaFile file;
  PTEEDIT_ASSIGN(file.file, object.Word("file"));
  PTEEDIT_ASSIGN(file.sha256, object.Hash("sha256"));
  PTEEDIT_ASSIGN(file.operations, ReadRows(object, "ops", object.place() + " operation", ReadOperation));
  return file;
}

Result<ManifestDelta> ReadDelta(const ObjectReader& object) {
  PTEEDIT_TRY(object.Check());
  ManifestDelta delta;
  PTEEDIT_ASSIGN(delta.from, object.Hash("from"));
  PTEEDIT_ASSIGN(delta.files, ReadRows(object, "files", "delta file", ReadDeltaFile));
  return delta;
}

Status CheckVersion(const ObjectReader& root) {
  PTEEDIT_ASSIGN(const std::string version, root.Word("schema_version"));
  if (version.starts_with("1.")) return {};
  return Unsupported(Text("manifest has the schema version ", Quoted(version), ", only 1.x is understood"));
}

void SortFiles(Manifest& manifest) {
  std::sort(manifest.files.begin(), manifest.files.end(),
            [](const ReleaseFile& a, const ReleaseFile& b) { return a.file < b.file; });
}

using FilesByName = std::map<std::string_view, const ReleaseFile*>;

Result<FilesByName> NameFiles(const Manifest& manifest) {
  FilesByName files;
  for (const ReleaseFile& file : manifest.files) {
    if (!files.emplace(file.file, &file).second) return Malformed(Text("two files are called ", Quoted(file.file)));
  }
  for (const ReleaseFile& file : manifest.files) {
    if (!file.compressed || files.emplace(file.compressed->file, nullptr).second) continue;
    return Malformed(Text("two files are called ", Quoted(file.compressed->file)));
  }
  return files;
}

Error Sums(const ReleaseVariant& variant, const char* what, uint64_t said, uint64_t is) {
  return Malformed(Text("variant ", Quoted(variant.name), " says ", what, " ", said, ", its files have ", is));
}

// The program first, data files behind it, nothing twice.
Status CheckFilesOf(const ReleaseVariant& variant, const FilesByName& files) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < variant.files.size(); ++i) {
    const auto file = files.find(variant.files[i]);
    const bool is_known = file != files.end() && file->second != nullptr;
    if (!is_known || !seen.insert(variant.files[i]).second) {
      return Malformed(Text("variant ", Quoted(variant.name), " names ", Quoted(variant.files[i]),
                            is_known ? " twice" : ", which is none of the files"));
    }
    const bool is_program = file->second->role == FileRole::kProgram;
    if (is_program != (i == 0)) {
      return Malformed(Text("variant ", Quoted(variant.name), " has ", is_program ? "a second" : "no", " program ",
                            is_program ? "" : "as its first file"));
    }
  }
  if (variant.files.empty()) return Malformed(Text("variant ", Quoted(variant.name), " has no files"));
  if (variant.data_files < variant.files.size()) return {};
  return Sums(variant, "data_files", variant.data_files, variant.files.size() - 1);
}

struct VariantSums {
  uint64_t download = 0, installed = 0, largest = 0;
};

// Nothing where they do not fit 64 bits.
std::optional<VariantSums> SumsOf(const ReleaseVariant& variant, const FilesByName& files) {
  VariantSums sums;
  for (const std::string& name : variant.files) {
    const ReleaseFile& file = *files.at(name);
    const uint64_t download = file.compressed ? file.compressed->bytes : file.bytes;
    const std::optional<uint64_t> downloads = CheckedAdd(sums.download, download);
    const std::optional<uint64_t> installed = CheckedAdd(sums.installed, file.bytes);
    if (!downloads || !installed) return std::nullopt;
    sums = {*downloads, *installed, std::max(sums.largest, download)};
  }
  return sums;
}

void FillSums(Manifest& manifest) {
  FilesByName files;
  for (const ReleaseFile& file : manifest.files) files.emplace(file.file, &file);
  for (ReleaseVariant& variant : manifest.variants) {
    const VariantSums sums = SumsOf(variant, files).value_or(VariantSums());
    variant.download_bytes = sums.download;
    variant.installed_bytes = sums.installed;
    variant.largest_file_bytes = sums.largest;
  }
}

Status CheckVariant(const ReleaseVariant& variant, const FilesByName& files) {
  PTEEDIT_TRY(CheckFilesOf(variant, files));
  const std::optional<VariantSums> sums = SumsOf(variant, files);
  if (!sums) return Malformed(Text("variant ", Quoted(variant.name), " has files of more than 2^64 bytes"));
  if (sums->download != variant.download_bytes)
    return Sums(variant, "download_bytes", variant.download_bytes, sums->download);
  if (sums->installed != variant.installed_bytes)
    return Sums(variant, "installed_bytes", variant.installed_bytes, sums->installed);
  if (sums->largest != variant.largest_file_bytes)
    return Sums(variant, "largest_file_bytes", variant.largest_file_bytes, sums->largest);
  return {};
}

Status CheckManifest(const Manifest& manifest) {
  PTEEDIT_ASSIGN(const FilesByName files, NameFiles(manifest));
  std::set<std::string_view> names;
  for (const ReleaseVariant& variant : manifest.variants) {
    if (!names.insert(variant.name).second) return Malformed(Text("two variants are called ", Quoted(variant.name)));
    PTEEDIT_TRY(CheckVariant(variant, files));
  }
  for (const ReleaseBase& base : manifest.bases) {
    const auto file = files.find(base.file);
    if (file != files.end() && file->second != nullptr && file->second->sha256 == base.sha256) continue;
    return Malformed(Text("base ", Quoted(base.file), " is none of the files"));
  }
  return CheckPacks(manifest);
}

Result<Manifest> ParseManifest(std::string_view text) {
  JsonLimits limits;
  limits.max_bytes = kMaxManifestBytes;
  limits.max_values = kMaxManifestValues;
  PTEEDIT_ASSIGN(const JsonValue json, ParseJson(text, "manifest", limits));
  const ObjectReader root(json, "manifest");
  PTEEDIT_TRY(root.Check());
  PTEEDIT_TRY(CheckVersion(root));
  Manifest manifest;
  PTEEDIT_ASSIGN(manifest.release, root.Hash("release"));
  PTEEDIT_ASSIGN(manifest.files, ReadRows(root, "files", "file", ReadFile));
  PTEEDIT_ASSIGN(manifest.variants, ReadRows(root, "variants", "variant", ReadVariant));
  PTEEDIT_ASSIGN(manifest.bases, ReadRows(root, "bases", "base", ReadBase));
  if (root.FindAny("packs") != nullptr) {
    PTEEDIT_ASSIGN(manifest.packs, ReadRows(root, "packs", "pack", ReadPack));
  }
  if (const JsonValue* delta = root.FindAny("delta")) {
    PTEEDIT_ASSIGN(manifest.delta, ReadDelta({*delta, "delta"}));
  }
  SortFiles(manifest);
  PTEEDIT_TRY(CheckManifest(manifest));
  return manifest;
}

}  // namespace

const char* RoleName(FileRole role) {
  switch (role) {
    case FileRole::kProgram:
      return "program";
    case FileRole::kShared:
      return "shared";
    case FileRole::kVariant:
      return "variant";
    case FileRole::kIndex:
      return "index";
    case FileRole::kIncluded:
      return "included";
    case FileRole::kDelta:
      return "delta";
  }
  return "";
}

const ReleaseFile* Manifest::Find(std::string_view file) const {
  const auto found = std::lower_bound(files.begin(), files.end(), file,
                                      [](const ReleaseFile& a, std::string_view b) { return a.file < b; });
  return found == files.end() || found->file != file ? nullptr : &*found;
}

const ReleaseVariant* Manifest::FindVariant(std::string_view name) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const ReleaseVariant& candidate) { return candidate.name == name; });
  return found == variants.end() ? nullptr : &*found;
}

std::string ReleaseFileName(FileRole role, const std::string& sha256, const std::string& extension) {
  return Text(RoleName(role), "-", std::string_view(sha256).substr(0, kNameDigits), extension.empty() ? "" : ".",
              extension);
}

bool IsReleaseFileName(std::string_view name) {
  for (const FileRole role : kRoles) {
    const std::string begin = Text(RoleName(role), "-");
    if (!name.starts_with(begin) || name.size() < begin.size() + kNameDigits) continue;
    const std::string_view rest = name.substr(begin.size());
    const std::string_view digits = rest.substr(0, kNameDigits);
    if (std::all_of(digits.begin(), digits.end(), IsHexDigit) && IsExtension(rest.substr(kNameDigits))) return true;
  }
  return false;
}

bool IsPartialFileName(std::string_view name) {
  const std::string_view end = kPartialEnd;
  if (name.size() < end.size() + 1 || name.front() != '.' || !name.ends_with(end)) return false;
  return IsReleaseFileName(name.substr(1, name.size() - 1 - end.size()));
}

bool HasCompressed(const Manifest& manifest) {
  return std::any_of(manifest.files.begin(), manifest.files.end(),
                     [](const ReleaseFile& file) { return file.compressed.has_value(); });
}

Manifest WithoutCompressed(Manifest manifest) {
  if (!HasCompressed(manifest)) return manifest;
  for (ReleaseFile& file : manifest.files) file.compressed.reset();
  FillSums(manifest);
  return manifest;
}

void FinishManifest(Manifest& manifest) {
  SortFiles(manifest);
  FillSums(manifest);
  manifest.release = ReleaseId(manifest);
}

Result<Manifest> ReadManifest(const Source& source) {
  if (source.size() > kMaxManifestBytes) {
    return Unsupported(Text("manifest has ", source.size(), " bytes, at most ", kMaxManifestBytes, " are looked into"))
        .In(source.name());
  }
  std::string text(static_cast<size_t>(source.size()), '\0');
  PTEEDIT_TRY(source.Read(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}));
  Result<Manifest> manifest = ParseManifest(text);
  if (!manifest) return std::move(manifest).error().In(source.name());
  return manifest;
}

}  // namespace pteedit
