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

constexpr uint64_t kFirstBytes = 16;
constexpr size_t kLengthBytes = 8;  // of what a safetensors file begins with
constexpr std::string_view kSpacesBefore = " \t\r\n";

// Of a file of another kind; `what` says which it looks like.
Error NoNames(const std::string& what) {
  return Unsupported(
      Text("has no names: ", what, "; a safetensors file, an ETRecord or metadata of delegates (JSON) has"));
}

// Of a file that is neither zip nor JSON nor safetensors.
std::string WhatBeginsWith(std::string_view head) {
  constexpr size_t kIdentifier = 4;  // where flatbuffers have it, and how long it is
  const std::string_view identifier = head.substr(std::min(head.size(), kIdentifier), kIdentifier);
  if (identifier == "ET12") return "it is a program";
  if (identifier == "FT01") return "it is a data file";
  if (identifier == "BP08") return "it is a bundled program";
  if (identifier.starts_with("ED")) return "it is an ETDump";
  return Text("it begins with ", Quoted(head));
}

Result<std::vector<ContentName>> NamesInJson(const Source& file) {
  if (file.size() > kMaxRecordJsonBytes) {
    return Unsupported(Text("has ", file.size(), " bytes, names as JSON at most ", kMaxRecordJsonBytes));
  }
  std::string text(static_cast<size_t>(file.size()), '\0');
  PTEEDIT_TRY(file.Read(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}));
  PTEEDIT_ASSIGN(const JsonValue json, ParseJson(text, "text", RecordJsonLimits({"delegates"})));
  if (json.Find("names") != nullptr) return ReadNamesTable(json);
  if (text.find("\"delegates\"") == std::string::npos) return NoNames("it is JSON without 'names' or 'delegates'");
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
  std::vector<uint8_t> head(static_cast<size_t>(std::min(file->size(), kFirstBytes)));
  PTEEDIT_TRY(file->Read(0, {head.data(), head.size()}));
  if (LooksLikeZip({head.data(), head.size()})) {
    const Result<Etrecord> record = Etrecord::Open(file);
    if (!record && record.error().code == ErrorCode::kUnsupported) return NoNames(record.error().message);
    if (!record) return record.error();
    return NamesInRecord(*record);
  }
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const size_t first = text.find_first_not_of(kSpacesBefore);
  // A length begins with a brace by chance, and then has zeros behind it, which JSON has not.
  const bool is_json = first != std::string_view::npos && text[first] == '{' &&
                       text.substr(0, kLengthBytes).find('\0') == std::string_view::npos;
  if (is_json) return NamesInJson(*file);
  const bool is_checkpoint = text.substr(std::min(text.size(), kLengthBytes)).starts_with('{');
  return is_checkpoint ? ReadSafetensors(file) : NoNames(WhatBeginsWith(text));
}

}  // namespace

Result<std::vector<ContentName>> ReadNames(const std::shared_ptr<const Source>& file) {
  Result<std::vector<ContentName>> names = Read(file);
  if (!names) return std::move(names).error().In(file->name());
  return names;
}

}  // namespace pteedit
