#include "pteedit/profile/name_files.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "program/content_key.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/try.h"
#include "record/record_names.h"

namespace pteedit {
namespace {

constexpr uint64_t kHeadBytes = 16;
constexpr size_t kLengthBytes = 8;  // of what a safetensors file begins with
constexpr std::string_view kSpaces = " \t\r\n";

Result<std::vector<ContentName>> NamesInJson(const Source& file) {
  if (file.size() > kMaxRecordJsonBytes) {
    return Unsupported(Text("has ", file.size(), " bytes, names as JSON at most ", kMaxRecordJsonBytes));
  }
  std::string text(static_cast<size_t>(file.size()), '\0');
  PTEEDIT_TRY(file.Read(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}));
  PTEEDIT_ASSIGN(const JsonValue json, ParseJson(text, "text", RecordJsonLimits({"delegates"})));
  if (json.Find("names") != nullptr) return ReadNamesTable(json);
  PTEEDIT_ASSIGN(const std::vector<BlobMetadata> blobs, ParseDelegateMetadata(text));
  std::vector<ContentName> names;
  for (const BlobMetadata& blob : blobs) {
    if (!blob.constants) continue;
    for (const BlobConstant& constant : *blob.constants) {
      const std::string hash(HashInKey(constant.key));
      if (!hash.empty()) names.push_back({constant.name, constant.bytes, hash, constant.sizes});
    }
  }
  return names;
}

Result<std::vector<ContentName>> Read(const std::shared_ptr<const Source>& file) {
  std::vector<uint8_t> head(static_cast<size_t>(std::min(file->size(), kHeadBytes)));
  PTEEDIT_TRY(file->Read(0, {head.data(), head.size()}));
  if (LooksLikeZip({head.data(), head.size()})) {
    PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(file));
    return NamesInRecord(record);
  }
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const size_t first = text.find_first_not_of(kSpaces);
  // A length begins with a brace by chance, and then has zeros behind it, which JSON has not.
  const bool is_json = first != std::string_view::npos && text[first] == '{' &&
                       text.substr(0, kLengthBytes).find('\0') == std::string_view::npos;
  return is_json ? NamesInJson(*file) : ReadSafetensors(file);
}

}  // namespace

Result<std::vector<ContentName>> ReadNames(const std::shared_ptr<const Source>& file) {
  Result<std::vector<ContentName>> names = Read(file);
  if (!names) return std::move(names).error().In(file->name());
  return names;
}

}  // namespace pteedit
