#include "package/delta_build.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/text.h"
#include "io/streaming.h"
#include "package/zstd_frames.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

std::string OperationName(const DeltaFile& file, size_t index) {
  return Text("operation ", index, " of ", Quoted(file.file));
}

Status CheckPlace(const SourcesByName& files, const std::string& name, Extent place, const char* what) {
  const auto found = files.find(name);
  if (found == files.end()) return Malformed(Text("refers to ", Quoted(name), ", which is no file of the ", what));
  if (Fits(place, found->second->size())) return {};
  return Malformed(Text("refers to ", place.size, " bytes at ", Hex(place.offset), " of ", Quoted(name), ", which has ",
                        found->second->size(), " bytes"));
}

Status CheckDictionary(const DeltaOperation& operation, const DeltaSources& sources) {
  if (!operation.dictionary) return {};
  const DeltaDictionary& dictionary = *operation.dictionary;
  PTEEDIT_TRY(CheckPlace(sources.old_files, dictionary.file, dictionary.place, "older release"));
  if (dictionary.place.size <= kMaxDictionaryBytes) return {};
  return Malformed(
      Text("has a dictionary of ", dictionary.place.size, " bytes, at most ", kMaxDictionaryBytes, " are used"));
}

// How many bytes of the file it gives.
Result<uint64_t> CheckOperation(const DeltaOperation& operation, const DeltaSources& sources) {
  const bool is_copy = operation.is_copy;
  PTEEDIT_TRY(CheckPlace(is_copy ? sources.old_files : sources.delta_files, operation.file, operation.place,
                         is_copy ? "older release" : "delta"));
  PTEEDIT_TRY(CheckDictionary(operation, sources));
  return operation.unpacked_bytes.value_or(operation.place.size);
}

Status Unpack(const DeltaOperation& operation, const DeltaSources& sources,
              const std::function<Status(ByteSpan)>& use) {
  std::vector<uint8_t> dictionary;
  if (operation.dictionary) {
    const Extent place = operation.dictionary->place;
    dictionary.resize(static_cast<size_t>(place.size));
    PTEEDIT_TRY(sources.old_files.find(operation.dictionary->file)
                    ->second->Read(place.offset, {dictionary.data(), dictionary.size()}));
  }
  return DecompressFrames(*sources.delta_files.find(operation.file)->second, operation.place,
                          {dictionary.data(), dictionary.size()}, *operation.unpacked_bytes, use);
}

}  // namespace

Result<uint64_t> CheckOperations(const DeltaFile& file, const DeltaSources& sources) {
  uint64_t sum = 0;
  for (size_t i = 0; i < file.operations.size(); ++i) {
    const Result<uint64_t> gives = CheckOperation(file.operations[i], sources);
    if (!gives) return Malformed(Text(OperationName(file, i), " ", gives.error().message));
    const std::optional<uint64_t> more = CheckedAdd(sum, *gives);
    if (!more) return Malformed(Text("operations of ", Quoted(file.file), " give more than 2^64 bytes"));
    sum = *more;
  }
  return sum;
}

Status BuildFile(const DeltaFile& file, const DeltaSources& sources, const DeltaSink& sink) {
  for (size_t i = 0; i < file.operations.size(); ++i) {
    const DeltaOperation& operation = file.operations[i];
    if (operation.unpacked_bytes) {
      Status unpacked = Unpack(operation, sources, sink.use);
      if (unpacked) continue;
      Error error = std::move(unpacked).error();
      if (error.file.empty() && error.code == ErrorCode::kMalformed)
        return Malformed(Text(OperationName(file, i), " ", error.message));
      return error;
    }
    const SourcesByName& files = operation.is_copy ? sources.old_files : sources.delta_files;
    const Source& source = *files.find(operation.file)->second;
    PTEEDIT_TRY(sink.copy ? sink.copy(source, operation.place) : ForEachPiece(source, operation.place, sink.use));
  }
  return {};
}

}  // namespace pteedit
