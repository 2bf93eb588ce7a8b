// An ETRecord: what the exporter knew of a program, as a zip archive. Entries that we do not know are left alone.
#ifndef PTEEDIT_SRC_RECORD_ETRECORD_H_
#define PTEEDIT_SRC_RECORD_ETRECORD_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json_reader.h"
#include "formats/zip_file.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "pteedit/source.h"

namespace pteedit {

// The entry that makes an archive a record.
inline constexpr std::string_view kEtrecordIdentifier = "ETRECORD_V0";

// A table of names that only we know. The exporter's reader takes what ends like this for a program's constants, and
// leaves it alone where there is no such program.
inline constexpr std::string_view kNamesEntry = "names_of_constants";

// Of JSON in a record; the weights are in entries of their own. Ten times that of the largest seen.
inline constexpr uint64_t kMaxRecordJsonBytes = uint64_t{64} << 20;
JsonLimits RecordJsonLimits(std::vector<std::string_view> left_out);

// What an entry is there for.
enum class RecordEntry {
  kIdentifier,
  kJson,   // a program, or a map of its instructions
  kSaved,  // weights, constants or example inputs of a program, which has them in entries named after it
  kNames,  // what contents were called whose bytes are gone
  kTests,  // inputs to try and the outputs that they should give
  kUnknown,
};

class Etrecord {
 public:
  // Fails as ZipFile::Open, and with kUnsupported where the archive is no record.
  static Result<Etrecord> Open(std::shared_ptr<const Source> source);

  const ZipFile& zip() const { return zip_; }
  // The JSON of an entry, a null where there is no such entry; the bare words Infinity and NaN are texts. Of
  // objects, members called as one of `left_out` are skipped. kUnsupported where it is over limits, see etrecord.cc.
  Result<JsonValue> ReadJson(std::string_view entry, const std::vector<std::string_view>& left_out = {}) const;
  // The same of an entry that says something of each method, read once.
  Result<std::shared_ptr<const JsonValue>> ReadMap(const std::string& entry) const;
  // Those whose program in the edge dialect the record has, in the order of the archive; "forward" for the entry of old
  // records that names none.
  std::vector<std::string> Methods() const;
  RecordEntry KindOf(const ZipEntry& entry) const;
  // The entries that are exported programs: "exported_program", "edge_dialect_exported_program/forward", or those that
  // the exporter was asked to keep, "edge_after_transform/forward". In the order of the archive.
  std::vector<std::string> Programs() const;
  // The entries beside a program that have its weights and constants, and are not empty.
  std::vector<const ZipEntry*> Weights(std::string_view program) const;
  // The name of a method's program in the edge dialect; empty where there is none.
  std::string EdgeProgramEntry(std::string_view method) const;
  // The entry of the program called `graph` of a method, "edge_after_transform" or "edge_after_transform/forward"; for
  // an empty `graph` that in the edge dialect. Empty where there is none.
  std::string GraphEntry(std::string_view graph, std::string_view method) const;
  // What to say where there is none of any method.
  Error LacksGraph(std::string_view graph) const;

 private:
  explicit Etrecord(ZipFile zip) : zip_(std::move(zip)) {}
  ZipFile zip_;
  using Maps = std::map<std::string, std::shared_ptr<const JsonValue>>;
  std::shared_ptr<Maps> maps_ = std::make_shared<Maps>();  // those that were read
};

// Level 1: one row an entry, as stored; Zip Structure, which has all other bytes.
Result<SizeNode> MeasureEtrecord(const std::shared_ptr<const Source>& source);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_ETRECORD_H_
