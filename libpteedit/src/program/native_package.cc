#include "program/native_package.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/damage.h"
#include "base/text.h"
#include "formats/json_reader.h"
#include "formats/safetensors.h"
#include "io/streaming.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kGraphMember = "program.ptg", kTensorMember = "program.safetensors",
                           kAliasMember = "aliases.json";
constexpr uint16_t kStoredMethod = 0;
constexpr uint64_t kMaxAliasBytes = uint64_t{64} << 20;  // as the runtime's

bool IsStored(const ZipEntry& entry) {
  return entry.method == kStoredMethod && !entry.is_encrypted && entry.stored.size == entry.bytes;
}

// What lies in a member has no file name and no finding of its own.
Error InMember(const char* finding, std::string_view member, Error error) {
  if (error.code == ErrorCode::kIo) return error;
  error.where = Text("member ", Quoted(member));
  error.message = Text(error.where, " cannot be read: ", error.message);
  error.finding = finding;
  return error;
}

uint64_t EndOf(Extent extent) { return extent.offset + extent.size; }

class PackageOpener {
 public:
  explicit PackageOpener(const std::shared_ptr<const Source>& source) : source_(source) {}

  Result<OpenedPackage> Open() {
    PTEEDIT_ASSIGN(const ZipFile zip, ZipFile::Open(source_));
    package_->members = zip.entries();
    const uint64_t end = zip.entries().empty() ? source_->size() : EndOf(zip.entries().back().listed);
    package_->end = {end, source_->size() - end};
    if (Status apart = CheckApart(zip); !apart) Keep(std::move(apart).error());
    CheckMembers();
    if (const ZipEntry* graph = Find(kGraphMember)) {
      package_->graph = graph->stored;
    } else {
      Keep(Damaged("ptn-member", Text("has no member ", Quoted(kGraphMember))));
    }
    PTEEDIT_TRY(Judge("ptn-tensors", kTensorMember, ReadTensors()));
    PTEEDIT_TRY(Judge("ptn-aliases", kAliasMember, ReadAliases()));
    opened_.package = std::move(package_);
    return std::move(opened_);
  }

 private:
  void Keep(Error error) {
    if (opened_.problems.size() < kMaxProblems) opened_.problems.push_back(std::move(error));
  }

  // What is damaged is a problem, what cannot be read an error.
  Status Judge(const char* finding, std::string_view member, Status status) {
    if (status) return {};
    Error error = InMember(finding, member, std::move(status).error());
    if (error.code == ErrorCode::kIo) return error;
    Keep(std::move(error));
    return {};
  }

  void CheckMembers() {
    std::set<std::string_view> names;
    for (const ZipEntry& member : package_->members) {
      const std::string where = Text("member ", Quoted(member.name));
      if (!names.insert(member.name).second) Keep(Damaged("ptn-member", where, "is there twice"));
      if (!IsStored(member)) Keep(Damaged("ptn-member", where, "is compressed or encrypted, stored as it is expected"));
    }
  }

  // Null also where it is not stored as it is.
  const ZipEntry* Find(std::string_view name) const {
    const auto found =
        std::ranges::find_if(package_->members, [&](const ZipEntry& one) { return one.name == name && IsStored(one); });
    return found == package_->members.end() ? nullptr : &*found;
  }

  Status ReadTensors() {
    const ZipEntry* member = Find(kTensorMember);
    if (member == nullptr) return {};
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> window, MakeWindowSource(source_, member->stored));
    PTEEDIT_ASSIGN(const SafetensorsHeader header, ReadSafetensorsHeader(*window));
    const auto index = static_cast<uint32_t>(member - package_->members.data());
    for (const SafetensorsEntry& entry : header.entries) {
      const Extent place{member->stored.offset + entry.place.offset, entry.place.size};
      const Result<TensorLayout> layout = LayoutOf(entry);
      Add(entry.name, {{}, index, place, layout ? std::optional(*layout) : std::nullopt}, entry.sizes.size());
    }
    package_->tensor_head = {member->stored.offset, header.bytes};
    return {};
  }

  Status ReadAliases() {
    const ZipEntry* member = Find(kAliasMember);
    if (member == nullptr) return {};
    package_->aliases = member->stored;
    if (Find(kTensorMember) == nullptr) return Malformed(Text("there is no ", Quoted(kTensorMember), " beside it"));
    if (member->stored.size > kMaxAliasBytes)
      return Unsupported(Text("has ", member->stored.size, " bytes, at most ", kMaxAliasBytes));
    PTEEDIT_ASSIGN(const std::vector<uint8_t> bytes, ReadBytes(*source_, member->stored));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return ForEachJsonMember(text, "text", {.max_bytes = kMaxAliasBytes},
                             [&](const std::string& key, const JsonValue& owner) -> Status {
                               AddAlias(key, owner);
                               return {};
                             });
  }

  void AddAlias(const std::string& key, const JsonValue& owner) {
    const std::string where = Text("alias ", Quoted(key));
    if (owner.kind != JsonValue::Kind::kText) return Keep(Damaged("ptn-aliases", where, "names no owner"));
    if (owners_.contains(key)) return Keep(Damaged("ptn-aliases", where, "is also the key of a tensor"));
    if (key == kSafetensorsMetadata) return Keep(Damaged("ptn-aliases", where, "is a word of the format"));
    const auto found = owners_.find(owner.text);
    if (found == owners_.end())
      return Keep(Damaged("ptn-aliases", where, Text("names owner ", Quoted(owner.text), ", which is no tensor")));
    if (!aliases_.insert(key).second) return Keep(Damaged("ptn-aliases", where, "is there twice"));
    Add(key, opened_.named_data[found->second], package_->ranks[found->second], /*is_owner=*/false);
  }

  void Add(const std::string& key, NamedEntry entry, uint64_t rank, bool is_owner = true) {
    package_->keys.push_back(key);
    package_->ranks.push_back(rank);
    entry.key = package_->keys.back();
    if (is_owner) owners_.emplace(entry.key, package_->tensors++);
    opened_.named_data.push_back(std::move(entry));
  }

  const std::shared_ptr<const Source>& source_;
  std::shared_ptr<NativePackage> package_ = std::make_shared<NativePackage>();
  OpenedPackage opened_;
  std::map<std::string_view, size_t> owners_;  // of named_data
  std::set<std::string> aliases_;
};

}  // namespace

bool IsPackageMember(std::string_view name) {
  return name == kGraphMember || name == kTensorMember || name == kAliasMember;
}

bool LooksLikePackage(ByteSpan head) { return IsPackageMember(FirstZipName(head)); }

Result<OpenedPackage> OpenPackage(const std::shared_ptr<const Source>& source) { return PackageOpener(source).Open(); }

}  // namespace pteedit
