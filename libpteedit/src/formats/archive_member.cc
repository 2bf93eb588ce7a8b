#include "pteedit/archive_member.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "formats/zip_file.h"
#include "formats/zip_layout.h"
#include "pteedit/planned_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr char kProgramMember[] = "model.pte";
constexpr std::string_view kDataFolder = "weights/", kDataExtension = ".ptd";

Result<std::shared_ptr<const Source>> Member(const ZipFile& zip, const std::string& name, std::string shown) {
  const ZipEntry* entry = zip.Find(name);
  const std::string& archive = zip.source()->name();
  if (entry == nullptr) return InvalidArgument(Text("the archive has no member ", Quoted(name))).In(archive);
  const bool is_plain = entry->method == kZipStored && !entry->is_encrypted && entry->stored.size == entry->bytes;
  if (!is_plain) return Unsupported(Text("member ", Quoted(name), " is not stored as it is")).In(archive);
  PlannedFile contents;
  contents.Append(zip.source(), entry->stored);
  return contents.AsSource(std::move(shown));
}

Result<bool> BeginsAsArchive(const Source& source) {
  std::array<uint8_t, 4> head{};
  if (source.size() < head.size()) return false;
  PTEEDIT_TRY(source.Read(0, {head.data(), head.size()}));
  return LooksLikeZip({head.data(), head.size()});
}

// Nothing where the source is none, as a record, maybe a damaged one.
Result<std::optional<ZipFile>> VariantArchive(const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const bool may_be, BeginsAsArchive(*source));
  if (!may_be) return std::optional<ZipFile>();
  Result<ZipFile> zip = ZipFile::Open(source);
  if (!zip || zip->Find(kProgramMember) == nullptr) return std::optional<ZipFile>();
  return std::optional(*std::move(zip));
}

}  // namespace

Result<std::shared_ptr<const Source>> OpenMember(const std::shared_ptr<const Source>& archive,
                                                 const std::string& member) {
  Result<ZipFile> zip = ZipFile::Open(archive);
  if (!zip) return std::move(zip).error().In(archive->name());
  return Member(*zip, member, archive->name() + "!" + member);
}

Result<std::shared_ptr<const Source>> ProgramOrItself(const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const std::optional<ZipFile> zip, VariantArchive(source));
  return zip ? Member(*zip, kProgramMember, source->name()) : source;
}

Result<std::vector<std::string>> DataMembers(const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const std::optional<ZipFile> zip, VariantArchive(source));
  std::vector<std::string> names;
  if (!zip) return names;
  for (const ZipEntry& entry : zip->entries()) {
    if (entry.name.starts_with(kDataFolder) && entry.name.ends_with(kDataExtension)) names.push_back(entry.name);
  }
  return names;
}

}  // namespace pteedit
