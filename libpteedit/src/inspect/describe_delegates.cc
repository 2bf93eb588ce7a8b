#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <utility>

#include "base/text.h"
#include "delegates/decode_once.h"
#include "delegates/told_blob.h"
#include "io/digest.h"
#include "needs/blob_needs.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/found_names.h"
#include "program/key_search.h"
#include "program/listing_size.h"
#include "pteedit/delegates.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter <= '~'; });
}

DelegateDescription::CompileSpec DescribeCompileSpec(const schema::CompileSpec& spec) {
  const auto& value = OrEmpty(spec.value());
  const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
  return {std::string(ViewOf(spec.key())), value.size(), IsPrintable(text) ? std::string(text) : std::string()};
}

// Everything that stands in the tables.
DelegateDescription DescribeOne(const Container& program, const schema::BackendDelegate& delegate) {
  DelegateDescription row;
  row.backend = ViewOf(delegate.id());
  row.is_inline = delegate.processed()->location() == schema::DataLocation::INLINE;
  row.index = delegate.processed()->index();
  row.blob = BlobExtent(program, delegate);
  for (const schema::CompileSpec* spec : OrEmpty(delegate.compile_specs())) {
    row.compile_specs.push_back(DescribeCompileSpec(*spec));
  }
  return row;
}

void NoteSharedBlobs(std::vector<DelegateDescription>& rows) {
  std::map<std::pair<uint64_t, uint64_t>, size_t> first;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].blob.size == 0) continue;
    const auto [place, is_new] = first.emplace(std::pair(rows[i].blob.offset, rows[i].blob.size), i);
    if (!is_new) rows[i].shared_with.Edit() = rows[place->second].name;
  }
}

// What decoding a blob once more lists once more.
uint64_t BytesListedOf(const DecodedBlob& decoded) {
  uint64_t bytes = ListedBytes(decoded.operators) + ListedBytes(decoded.strings) + ListedBytes(decoded.keys);
  for (const BlobConstant& constant : decoded.constants)
    bytes += ListedBytes({constant.name, constant.key, constant.dtype}) + constant.sizes.size() * sizeof(uint64_t);
  for (const auto& constants : decoded.operator_constants) bytes += (constants.size() + 1) * sizeof(uint64_t);
  for (const BlobPart& part : decoded.parts) bytes += ListedBytes({part.name});
  for (const BlobFact& fact : decoded.facts) bytes += ListedBytes({fact.name, fact.value});
  return bytes;
}

// What only warnings speak against.
Result<DecodedBlob> WithoutErrors(DecodedBlob decoded) {
  for (const Finding& problem : decoded.problems) {
    if (problem.severity == Severity::kError)
      return Unsupported(Text(problem.where, problem.where.empty() ? "" : ": ", problem.message));
  }
  return decoded;
}

// Gives each delegate what its blob holds. What several share is decoded once and kept for them.
class SharedBlobs {
 public:
  explicit SharedBlobs(const ProgramSet& set) : once_(set), listing_(MostListedBytes(set.program())) {}

  // Of each delegate, before any is decoded.
  Status Announce(const schema::BackendDelegate& delegate) {
    PTEEDIT_ASSIGN(const Sha256Digest identity, once_.IdentityOf(delegate));
    ++known_[identity].delegates;
    identities_.push_back(identity);
    return {};
  }

  // In the order in which they were announced.
  Result<DecodedBlob> Decode(const schema::BackendDelegate& delegate) {
    Known& known = known_.at(identities_[next_++]);
    if (known.delegates == 1) return DecodeNew(delegate);
    if (known.decoded == nullptr) {
      known.decoded = std::make_unique<Result<DecodedBlob>>(DecodeNew(delegate));
      if (*known.decoded) known.listed_bytes = BytesListedOf(**known.decoded);
      return *known.decoded;
    }
    PTEEDIT_TRY(listed_ = listing_.Take(known.listed_bytes, "what is in blobs for each delegate that shares them"));
    return *known.decoded;
  }

  // Fails with kUnsupported where listing the same again and again is too much.
  Status listed() const { return listed_; }

 private:
  struct Known {
    size_t delegates = 0;
    std::unique_ptr<const Result<DecodedBlob>> decoded;  // of several delegates, so mostly nothing
    uint64_t listed_bytes = 0;
  };

  Result<DecodedBlob> DecodeNew(const schema::BackendDelegate& delegate) {
    PTEEDIT_ASSIGN(DecodedBlob decoded, once_.Decode(delegate));
    return WithoutErrors(std::move(decoded));
  }

  DecodeOnce once_;
  ListingBudget listing_;
  Status listed_;
  std::map<Sha256Digest, Known> known_;
  std::vector<Sha256Digest> identities_;  // by delegate
  size_t next_ = 0;
};

class DelegateDescriber {
 public:
  DelegateDescriber(const ProgramSet& set, const std::vector<BlobDecoder>& decoders)
      : set_(set), program_(set_.program()), needs_(program_), decoders_(decoders), shared_(set_) {}

  Result<std::vector<DelegateDescription>> Describe() {
    for (const schema::ExecutionPlan* plan : OrEmpty(program_.state().program_root().execution_plan())) {
      for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates()))
        PTEEDIT_TRY(shared_.Announce(*delegate));
    }
    std::vector<std::string_view> keys;
    for (const NamedEntry& entry : program_.named_data()) keys.push_back(entry.key);
    PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(program_, keys));
    const std::vector<DelegateNames> names = DelegateNamesIn(program_.state().program_root());
    std::vector<DelegateDescription> rows;
    size_t count = 0, plan_index = 0;
    for (const DelegateNames& of_plan : names) count += of_plan.size();
    rows.reserve(count);
    for (const schema::ExecutionPlan* plan : OrEmpty(program_.state().program_root().execution_plan())) {
      for (flatbuffers::uoffset_t i = 0; i < OrEmpty(plan->delegates()).size(); ++i) {
        const schema::BackendDelegate& delegate = *plan->delegates()->Get(i);
        DelegateDescription row = DescribeOne(program_, delegate);
        row.name = names[plan_index][i];
        row.method = ViewOf(plan->name());
        std::vector<std::string_view> wanted;
        for (const size_t key : mentioned[plan_index][i]) wanted.push_back(keys[key]);
        PTEEDIT_TRY(LookInto(delegate, wanted, row));
        if (Status listed = shared_.listed(); !listed) return std::move(listed).error().In(program_.name());
        PTEEDIT_ASSIGN(row.runtime, needs_.Of(delegate));
        rows.push_back(std::move(row));
      }
      ++plan_index;
    }
    NoteSharedBlobs(rows);
    return rows;
  }

 private:
  Status LookInto(const schema::BackendDelegate& delegate, const std::vector<std::string_view>& mentioned,
                  DelegateDescription& row) {
    Result<DecodedBlob> decoded = Decode(delegate, mentioned, row);
    if (!decoded) {
      if (decoded.error().code != ErrorCode::kUnsupported) return std::move(decoded).error();
      if (!decoded.error().message.empty()) row.why_opaque.Edit() = decoded.error().message;
      row.keys.reserve(mentioned.size());
      for (const std::string_view key : mentioned) PTEEDIT_TRY(AddKey(key, row));
      return {};
    }
    row.keys.reserve(decoded->keys.size());
    for (const std::string& key : decoded->keys) PTEEDIT_TRY(AddKey(key, row));
    row.decoded = true;
    BlobContents& contents = *decoded;
    row.contents.Edit() = std::move(contents);
    return NameConstants(row);
  }

  Result<DecodedBlob> Decode(const schema::BackendDelegate& delegate, const std::vector<std::string_view>& mentioned,
                             const DelegateDescription& row) {
    PTEEDIT_ASSIGN(const std::optional<BlobMetadata> metadata,
                   AskDecoders(decoders_, row.name, row.backend, InputOf(set_, delegate)));
    Result<DecodedBlob> found = shared_.Decode(delegate);
    if (!metadata || (!found && found.error().code != ErrorCode::kUnsupported)) return found;
    if (found) return Told(*metadata, *std::move(found), row.blob.size);
    DecodedBlob nothing;
    nothing.keys.assign(mentioned.begin(), mentioned.end());
    return Told(*metadata, std::move(nothing), row.blob.size);
  }

  Status AddKey(std::string_view key, DelegateDescription& row) {
    const std::optional<KeyPlace> place = set_.Find(key);
    PTEEDIT_ASSIGN(std::string name, NameOf(key));
    DelegateDescription::Key& added = row.keys.emplace_back();
    added.key = key;
    if (!name.empty()) added.name.Edit() = std::move(name);
    if (!place) return {};
    added.bytes = place->entry->extent.size;
    const auto [file, is_new] = file_names_.try_emplace(place->file);
    if (is_new) file->second = place->file->name();
    added.file = file->second;
    return {};
  }

  // Empty where the bytes have none but the key.
  Result<std::string> NameOf(std::string_view key) {
    const std::optional<KeyPlace> place = set_.Find(key);
    const std::vector<std::string> names = NamesOfKey(place ? *place->file : program_, key);
    if (names.empty()) return std::string();
    PTEEDIT_TRY(names_.Take(names.front().size(), "names of keys for each delegate that asks for them"));
    return names.front();
  }

  // A backend that stores a hash alone does not know the name, and others make one up: "aten_convolution_weight_ohwi".
  Status NameConstants(DelegateDescription& row) {
    for (BlobConstant& constant : row.contents.Edit().constants) {
      if (const std::optional<uint64_t> offset = constant.offset(); offset && constant.key.empty()) {
        const auto* found = FoundNamesAt(program_, {row.blob.offset + *offset, constant.bytes});
        if (found == nullptr) continue;
        PTEEDIT_TRY(names_.Take(found->front().size(), "names of weights for each delegate that has them"));
        constant.own_name = std::exchange(constant.name, found->front());
        continue;
      }
      if (!constant.name.empty() || constant.key.empty()) continue;
      PTEEDIT_ASSIGN(constant.name, NameOf(constant.key));
    }
    return {};
  }

  const ProgramSet set_;
  const Container& program_;
  BlobNeeds needs_;
  const std::vector<BlobDecoder>& decoders_;
  SharedBlobs shared_;
  ListingBudget names_{MostListedBytes(program_)};
  std::map<const Container*, SharedOptional<std::string>> file_names_;
};

// All of what a description says of the blob.
BlobMetadata MetadataOf(const DelegateDescription& delegate, std::string sha256) {
  BlobMetadata blob;
  blob.sha256 = std::move(sha256);
  blob.bytes = delegate.blob.size;
  blob.backend = delegate.backend;
  blob.name = delegate.name;
  blob.operators = delegate.contents->operators;
  blob.constants = delegate.contents->constants;
  blob.facts = delegate.contents->facts;
  blob.strings = delegate.contents->strings;
  blob.parts = delegate.contents->parts;
  blob.keys.emplace();
  for (const DelegateDescription::Key& key : delegate.keys) blob.keys->push_back(key.key);
  return blob;
}

}  // namespace

Result<std::vector<DelegateDescription>> DescribeDelegates(const ProgramSet& set,
                                                           const std::vector<BlobDecoder>& decoders) {
  const Container& file = set.file();
  if (!HoldsProgram(file)) return std::vector<DelegateDescription>();
  PTEEDIT_ASSIGN(std::vector<DelegateDescription> rows, DelegateDescriber(set, decoders).Describe());
  for (DelegateDescription& row : rows) row.blob.offset += file.program_extent().offset;
  return rows;
}

Result<std::vector<BlobMetadata>> CollectMetadata(const Container& file,
                                                  const std::vector<DelegateDescription>& delegates) {
  std::map<std::pair<uint64_t, uint64_t>, std::string> hashes;  // by place
  std::vector<BlobMetadata> blobs;
  for (const DelegateDescription& delegate : delegates) {
    if (!delegate.decoded) continue;
    std::string& hash = hashes[{delegate.blob.offset, delegate.blob.size}];
    if (hash.empty()) {
      PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*file.source(), delegate.blob));
      hash = digest.Hex();
    }
    blobs.push_back(MetadataOf(delegate, hash));
  }
  return blobs;
}

std::vector<BlobPart> PartsOf(const DelegateDescription& delegate) {
  if (delegate.decoded || delegate.blob.size == 0) return delegate.contents->parts;
  return {{"opaque", {0, delegate.blob.size}}};
}

std::optional<uint64_t> ScratchBytes(const DelegateDescription& delegate) {
  for (const BlobFact& fact : delegate.contents->facts) {
    uint64_t bytes = 0;
    const char* end = fact.value.data() + fact.value.size();
    const auto [rest, error] = std::from_chars(fact.value.data(), end, bytes);
    if (fact.name == kScratchFact && error == std::errc() && rest == end) return bytes;
  }
  return std::nullopt;
}

}  // namespace pteedit
