// The text of a manifest: members in a fixed order, one space a level, a line for each row of a list.
#include <map>

#include "base/text.h"
#include "formats/json_text.h"
#include "io/digest.h"
#include "pteedit/package/create.h"
#include "pteedit/package/manifest.h"

namespace pteedit {
namespace {

constexpr char kWrittenVersion[] = "1.0";

std::string Member(const char* name, const std::string& text) { return Text("\"", name, "\": ", JsonText(text)); }
std::string Member(const char* name, uint64_t number) { return Text("\"", name, "\": ", number); }

std::string CompressedText(const CompressedFile& file) {
  return Text("{", Member("file", file.file), ", ", Member("bytes", file.bytes), ", ", Member("sha256", file.sha256),
              "}");
}

std::string FileText(const ReleaseFile& file) {
  std::string text = Text("{", Member("file", file.file), ", ", Member("role", RoleName(file.role)));
  if (!file.name.empty()) text += ", " + Member("name", file.name);
  text += Text(", ", Member("bytes", file.bytes), ", ", Member("sha256", file.sha256));
  if (file.compressed) text += ", \"compressed\": " + CompressedText(*file.compressed);
  return text + "}";
}

std::string LabelsText(const std::map<std::string, std::string>& labels) {
  std::string text;
  for (const auto& [name, value] : labels)
    text += Text(text.empty() ? "" : ", ", JsonText(name), ": ", JsonText(value));
  return "{" + text + "}";
}

std::string NamesText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + JsonText(name);
  return "[" + text + "]";
}

std::string VariantText(const ReleaseVariant& variant) {
  return Text("{", Member("name", variant.name), ", \"labels\": ", LabelsText(variant.labels),
              ", \"files\": ", NamesText(variant.files), ", ", Member("download_bytes", variant.download_bytes), ", ",
              Member("installed_bytes", variant.installed_bytes), ", ",
              Member("largest_file_bytes", variant.largest_file_bytes), ", ",
              Member("min_runtime", variant.min_runtime), ", ", Member("data_files", variant.data_files),
              variant.packs.empty() ? "" : ", \"packs\": " + NamesText(variant.packs),
              variant.targets.empty() ? "" : ", \"targets\": " + NamesText(variant.targets), "}");
}

std::string BaseText(const ReleaseBase& base) {
  return Text("{", Member("file", base.file), ", ", Member("sha256", base.sha256), "}");
}

std::string PackText(const ReleasePack& pack) {
  return Text("{", Member("name", pack.name), ", ", Member("bytes", pack.bytes), ", \"files\": ", NamesText(pack.files),
              "}");
}

// A list of which each row has a line.
template <class T, class ToText>
std::string Rows(const std::string& indent, const std::vector<T>& rows, ToText to_text) {
  std::string list;
  for (const T& row : rows) list += Text(list.empty() ? "\n" : ",\n", indent, " ", to_text(row));
  return "[" + list + (list.empty() ? "" : "\n" + indent) + "]";
}

std::string PlaceText(const char* name, const std::string& file, Extent place) {
  return Text("\"", name, "\": [", JsonText(file), ", ", place.offset, ", ", place.size, "]");
}

std::string OperationText(const DeltaOperation& operation) {
  std::string text = PlaceText(operation.is_copy ? "copy" : "take", operation.file, operation.place);
  if (operation.unpacked_bytes) text += ", " + Member("unpacked_bytes", *operation.unpacked_bytes);
  if (operation.dictionary)
    text += ", " + PlaceText("dictionary", operation.dictionary->file, operation.dictionary->place);
  return "{" + text + "}";
}

std::string DeltaFileText(const DeltaFile& file) {
  return Text("{", Member("file", file.file), ", ", Member("sha256", file.sha256),
              ", \"ops\": ", Rows("   ", file.operations, OperationText), "}");
}

std::string DeltaText(const ManifestDelta& delta) {
  return Text("{\n  ", Member("from", delta.from), ",\n  \"files\": ", Rows("  ", delta.files, DeltaFileText), "\n }");
}

}  // namespace

std::string ManifestText(const Manifest& manifest) {
  std::string text = "{\n " + Member("schema_version", kWrittenVersion) + ",\n ";
  text += Member("release", manifest.release) + ",\n ";
  text += "\"files\": " + Rows(" ", manifest.files, FileText) + ",\n ";
  text += "\"variants\": " + Rows(" ", manifest.variants, VariantText) + ",\n ";
  text += "\"bases\": " + Rows(" ", manifest.bases, BaseText);
  if (!manifest.packs.empty()) text += ",\n \"packs\": " + Rows(" ", manifest.packs, PackText);
  if (manifest.delta) text += ",\n \"delta\": " + DeltaText(*manifest.delta);
  return text + "\n}\n";
}

std::string ReleaseId(const Manifest& manifest) {
  Manifest nameless = WithoutCompressed(manifest);
  nameless.release.clear();
  nameless.delta.reset();
  const std::string text = ManifestText(nameless);
  return Sha256Of(ByteSpan{reinterpret_cast<const uint8_t*>(text.data()), text.size()}).Hex();
}

std::string ChecksumList(const Manifest& manifest) {
  std::map<std::string, std::string> hashes;
  for (const ReleaseFile& file : manifest.files) {
    hashes[file.file] = file.sha256;
    if (file.compressed) hashes[file.compressed->file] = file.compressed->sha256;
  }
  const std::string text = ManifestText(manifest);
  hashes[kManifestName] = Sha256Of(ByteSpan{reinterpret_cast<const uint8_t*>(text.data()), text.size()}).Hex();
  std::string list;
  for (const auto& [name, sha256] : hashes) list += Text(sha256, "  ", name, "\n");
  return list;
}

}  // namespace pteedit
