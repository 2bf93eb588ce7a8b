#include "pteedit/profile/profile_kind.h"

#include <algorithm>

#include "profile/etdump.h"
#include "pteedit/try.h"
#include "record/etrecord.h"

namespace pteedit {
namespace {

constexpr uint64_t kHeadBytes = 64;  // more than either needs

Result<SizeNode> Measure(const std::shared_ptr<const Source>& source, ProfileKind kind) {
  if (kind == ProfileKind::kEtrecord) return MeasureEtrecord(source);
  PTEEDIT_ASSIGN(const Etdump dump, OpenEtdump(source));
  return MeasureEtdump(dump);
}

}  // namespace

const char* KindName(ProfileKind kind) { return kind == ProfileKind::kEtdump ? "etdump" : "etrecord"; }

Result<std::optional<ProfileKind>> FindProfileKind(const std::shared_ptr<const Source>& source) {
  std::vector<uint8_t> bytes(static_cast<size_t>(std::min(source->size(), kHeadBytes)));
  PTEEDIT_TRY(source->Read(0, {bytes.data(), bytes.size()}));
  const ByteSpan head{bytes.data(), bytes.size()};
  using Kind = std::optional<ProfileKind>;
  if (EtdumpStart(head)) return Kind(ProfileKind::kEtdump);
  if (FirstZipName(head) == kEtrecordIdentifier) return Kind(ProfileKind::kEtrecord);
  const bool is_record = LooksLikeZip(head) && Etrecord::Open(source).has_value();
  return is_record ? Kind(ProfileKind::kEtrecord) : Kind();
}

Result<SizeNode> MeasureProfile(const std::shared_ptr<const Source>& source, ProfileKind kind) {
  Result<SizeNode> sizes = Measure(source, kind);
  if (!sizes) return std::move(sizes).error().In(source->name());
  return sizes;
}

}  // namespace pteedit
