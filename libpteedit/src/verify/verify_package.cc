#include "verify/verify_package.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "delegates/native.h"
#include "formats/crc32.h"
#include "io/streaming.h"
#include "program/container_state.h"
#include "pteedit/dtypes.h"
#include "pteedit/try.h"
#include "verify/findings.h"

namespace pteedit {
namespace {

// Limits of the runtime's reader, backends/native/runtime/deserialize/Limits.h, which no release has so far.
constexpr uint64_t kMaxPackageTensors = uint64_t{1} << 20;  // aliases not counted, of which there may be as many
constexpr uint64_t kMaxPackageRank = 64;
constexpr uint64_t kMaxPackageJsonBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxPackageGraphBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxPackageBytes = uint64_t{1} << 40;
constexpr uint64_t kTensorLengthBytes = 8;

class PackageVerifier {
 public:
  explicit PackageVerifier(const Container& file) : file_(file), package_(*file.state().package) {}

  Result<std::vector<Finding>> Verify(const VerifyOptions& options) {
    CheckLimits();
    for (const ZipEntry& member : package_.members) {
      CheckName(member);
      if (options.hash_keys) PTEEDIT_TRY(CheckSum(member));
    }
    PTEEDIT_TRY(CheckGraph());
    return std::move(found_).Take();
  }

 private:
  void Limit(const std::string& where, uint64_t actual, const char* unit, uint64_t most) {
    if (actual <= most) return;
    found_.AddError("ptn-limit", where, Text("has ", actual, " ", unit, ", at most ", most, " are read"));
  }

  void CheckLimits() {
    Limit("", file_.source()->size(), "bytes", kMaxPackageBytes);
    Limit(kProgramGraph, package_.graph.size, "bytes", kMaxPackageGraphBytes);
    if (package_.tensor_head.size != 0)
      Limit("header of tensors", package_.tensor_head.size - kTensorLengthBytes, "bytes", kMaxPackageJsonBytes);
    Limit("aliases", package_.aliases.size, "bytes", kMaxPackageJsonBytes);
    Limit("", package_.tensors, "tensors", kMaxPackageTensors);
    Limit("", file_.named_data().size() - package_.tensors, "aliases", kMaxPackageTensors);
    for (size_t i = 0; i < package_.tensors; ++i) {
      const std::string where = Text("tensor ", Quoted(file_.named_data()[i].key));
      Limit(where, package_.ranks[i], "dimensions", kMaxPackageRank);
      if (!file_.named_data()[i].layout)
        found_.AddError("ptn-tensors", where, "has elements or sizes that the runtime does not know");
    }
  }

  // The runtime looks for its three members and ignores others; who unpacks the archive does not.
  void CheckName(const ZipEntry& member) {
    if (IsPackageMember(member.name)) return;
    const bool escapes = member.name.starts_with('/') ||
                         Text("/", member.name, "/").find("/../") != std::string::npos ||
                         member.name.find('\\') != std::string::npos;
    const std::string where = Text("member ", Quoted(member.name));
    if (escapes) {
      found_.AddError("ptn-member", where, "leads out of the folder that it is unpacked into");
    } else {
      found_.AddWarning("ptn-other-member", where, "is none that a package has");
    }
  }

  Status CheckSum(const ZipEntry& member) {
    Crc32 sum;
    PTEEDIT_TRY(ForEachPiece(*file_.source(), member.stored, [&](ByteSpan piece) -> Status {
      sum.Update(piece);
      return {};
    }));
    if (sum.value() != member.checksum) {
      found_.AddError("ptn-checksum", Text("member ", Quoted(member.name)),
                      Text("has other bytes than when it was written: checksum ", Hex(sum.value()), ", ",
                           Hex(member.checksum), " expected"));
    }
    return {};
  }

  Status CheckGraph() {
    const Result<NativeGraph> graph = ReadNativeGraph({file_.source(), package_.graph, {}, nullptr});
    if (!graph && graph.error().code == ErrorCode::kIo) return graph.error();
    if (!graph) {
      found_.AddError("ptn-graph", "", graph.error().message);
      return {};
    }
    for (const Finding& problem : graph->blob.problems) found_.Add(problem);
    std::map<std::string_view, const NamedEntry*> entries;
    for (const NamedEntry& entry : file_.named_data()) entries.emplace(entry.key, &entry);
    std::set<std::string_view> used;
    for (const BlobConstant& constant : graph->blob.constants) {
      const auto entry = entries.find(constant.key);
      used.insert(constant.key);
      if (entry == entries.end()) {
        found_.AddError("ptn-key", Text("key ", Quoted(constant.key)), "is asked for by the graph and not there");
      } else {
        Compare(constant, *entry->second);
      }
    }
    for (const auto& [key, entry] : entries) {
      if (!used.contains(key)) found_.AddWarning("ptn-unused", Text("key ", Quoted(key)), "is read by nothing");
    }
    return {};
  }

  // What is packed has sizes of its own, so bytes are what counts.
  void Compare(const BlobConstant& constant, const NamedEntry& entry) {
    const std::string where = Text("key ", Quoted(constant.key));
    const std::string stored = entry.layout ? ScalarTypeName(entry.layout->scalar_type) : std::string();
    const std::string wanted = CommonDtype(constant.dtype);
    if (!stored.empty() && stored != wanted)
      return found_.AddError("ptn-key", where, Text("is ", stored, ", the graph reads ", wanted));
    if (constant.bytes != 0 && constant.bytes != entry.extent.size) {
      found_.AddError("ptn-key", where, Text("has ", entry.extent.size, " bytes, the graph reads ", constant.bytes));
    }
  }

  const Container& file_;
  const NativePackage& package_;
  Findings found_;
};

}  // namespace

Result<std::vector<Finding>> VerifyPackage(const Container& package, const VerifyOptions& options) {
  return PackageVerifier(package).Verify(options);
}

}  // namespace pteedit
