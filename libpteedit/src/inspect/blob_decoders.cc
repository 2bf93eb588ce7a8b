// Decoders that users hand in: those that know blobs from a metadata file, and answers that are kept.
#include <map>
#include <memory>

#include "io/digest.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class MetadataDecoder {
 public:
  explicit MetadataDecoder(std::vector<BlobMetadata> blobs) : blobs_(std::move(blobs)) {
    for (const BlobMetadata& blob : blobs_) by_hash_.emplace(blob.sha256, &blob);
  }

  Result<std::optional<BlobMetadata>> Find(const BlobView& view) const {
    if (!MayKnow(view.blob->size())) return std::optional<BlobMetadata>();
    PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*view.blob, {0, view.blob->size()}));
    const BlobMetadata* best = nullptr;
    const auto [begin, end] = by_hash_.equal_range(digest.Hex());
    for (auto blob = begin; blob != end; ++blob) {
      const BlobMetadata& candidate = *blob->second;
      if (!candidate.backend.empty() && candidate.backend != view.backend) continue;
      if (best == nullptr || (candidate.name == view.delegate && best->name != view.delegate)) best = &candidate;
    }
    return best == nullptr ? std::optional<BlobMetadata>() : std::optional(*best);
  }

 private:
  // Whether hashing is worth it.
  bool MayKnow(uint64_t bytes) const {
    for (const BlobMetadata& blob : blobs_) {
      if (!blob.bytes || *blob.bytes == bytes) return true;
    }
    return false;
  }

  std::vector<BlobMetadata> blobs_;
  std::multimap<std::string, const BlobMetadata*> by_hash_;
};

// Of everything that a decoder may look at.
Result<Sha256Digest> DigestOf(const BlobView& view) {
  Sha256 all;
  const auto add = [&](ByteSpan bytes) {
    const uint64_t size = bytes.size;
    all.Update({reinterpret_cast<const uint8_t*>(&size), sizeof(size)});
    all.Update(bytes);
  };
  const auto add_text = [&](std::string_view text) {
    add({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  add_text(view.backend);
  for (const BlobCompileSpec& spec : view.compile_specs) {
    add_text(spec.key);
    add(spec.value);
  }
  PTEEDIT_ASSIGN(const Sha256Digest blob, Sha256Of(*view.blob, {0, view.blob->size()}));
  add({blob.bytes.data(), blob.bytes.size()});
  return all.Finish();
}

}  // namespace

BlobDecoder MakeMetadataDecoder(std::vector<BlobMetadata> blobs) {
  return [decoder = std::make_shared<MetadataDecoder>(std::move(blobs))](const BlobView& view) {
    return decoder->Find(view);
  };
}

BlobDecoder RememberAnswers(BlobDecoder decoder) {
  using Answers = std::map<Sha256Digest, Result<std::optional<BlobMetadata>>>;
  return [decoder = std::move(decoder),
          answers = std::make_shared<Answers>()](const BlobView& view) -> Result<std::optional<BlobMetadata>> {
    PTEEDIT_ASSIGN(const Sha256Digest digest, DigestOf(view));
    auto known = answers->find(digest);
    if (known == answers->end()) known = answers->emplace(digest, decoder(view)).first;
    return known->second;
  };
}

}  // namespace pteedit
