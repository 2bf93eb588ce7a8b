#include "verify/verify_set.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/text.h"
#include "delegates/decode_once.h"
#include "io/digest.h"
#include "program/binding_key.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/file_set.h"
#include "program/key_promises.h"
#include "program/layout.h"
#include "pteedit/try.h"
#include "verify/findings.h"

namespace pteedit {
namespace {

std::string KeyWords(std::string_view key) { return Text("key ", Quoted(key)); }

// Of the keys of decoded graphs, `by_decoder` holds those whose form may tell their content; of others only our own do.
Result<std::vector<Finding>> CheckPromises(const Container& file, const std::set<std::string_view>& by_decoder,
                                           const VerifyOptions& options) {
  std::vector<const NamedEntry*> promises;
  for (const NamedEntry& entry : file.named_data()) {
    if (PromisesContent(entry, by_decoder.count(entry.key) != 0)) promises.push_back(&entry);
  }
  PTEEDIT_ASSIGN(std::vector<Finding> found, FindBrokenPromises(file, promises, options.threads));
  if (file.kind() != FileKind::kData || BindingsIn(file).empty()) return found;
  PTEEDIT_ASSIGN(const std::string right, BindingKeyOf(file, options.threads));
  for (const std::string_view key : BindingsIn(file)) {
    if (key == right) continue;
    found.push_back({"base-stale", Severity::kError, KeyWords(key),
                     Text("binds to other contents than the file has, whose key is ", Quoted(right))});
  }
  return found;
}

void CheckNameBytes(const Container& file, Findings& found) {
  for (const NamedEntry& entry : file.named_data()) {
    if (entry.key.find('\0') == std::string_view::npos) continue;
    found.AddError("zero-in-name", KeyWords(entry.key), "has a zero byte in it, where runtimes end it");
  }
}

class SetVerifier {
 public:
  SetVerifier(const ProgramSet& set, const VerifyOptions& options)
      : set_(set), program_(set.program()), data_(set.data()), options_(options), found_(1 + data_.size()) {}

  Result<std::vector<std::vector<Finding>>> Verify() {
    PTEEDIT_ASSIGN(const FileSet examined, ExamineTogether(set_));
    for (const Error& problem : examined.problems) ListOf(problem.file).Add(FindingOf(problem));
    for (const Error& remark : examined.remarks) ListOf(remark.file).Add(AsWarning(FindingOf(remark)));
    CheckNameBytes(program_, found_[0]);
    PTEEDIT_TRY(CheckProgramKeys());
    PTEEDIT_TRY(CheckDelegates());
    CheckUnused();
    if (options_.hash_keys) PTEEDIT_TRY(CheckHashes());
    std::vector<std::vector<Finding>> lists;
    for (Findings& findings : found_) lists.push_back(std::move(findings).Take());
    return lists;
  }

 private:
  static Finding AsWarning(Finding finding) {
    finding.severity = Severity::kWarning;
    return finding;
  }

  Findings& ListOf(const std::string& file) {
    for (size_t i = 0; i < data_.size(); ++i) {
      if (data_[i].name() == file) return found_[1 + i];
    }
    return found_[0];
  }

  // The first of several wins.
  Status CheckProgramKeys() {
    std::map<std::string_view, const NamedEntry*> inside;
    for (const NamedEntry& entry : program_.named_data()) {
      const auto [first, is_new] = inside.try_emplace(entry.key, &entry);
      if (is_new) continue;
      PTEEDIT_ASSIGN(const bool same,
                     SameBytes(*program_.source(), entry.extent, *program_.source(), first->second->extent));
      if (same) {
        found_[0].AddWarning("key-twice", KeyWords(entry.key), "occurs twice in the program");
      } else {
        found_[0].AddError("key-twice", KeyWords(entry.key), "occurs twice in the program, with different contents");
      }
    }
    return {};
  }

  Status CheckDelegates() {
    const std::vector<DelegateNames> names = DelegateNamesIn(program_.state().program_root());
    size_t plan_index = 0;
    DecodeOnce once(set_);
    std::map<Sha256Digest, DecodedBlob> decoded;
    for (const schema::ExecutionPlan* plan : OrEmpty(program_.state().program_root().execution_plan())) {
      std::vector<const DecodedBlob*> blobs;  // null for delegates that nobody can look into
      for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
        const std::string name = names[plan_index][blobs.size()];
        blobs.push_back(nullptr);
        const Decoder* decoder = FindDecoder(ViewOf(delegate->id()));
        if (decoder == nullptr || !decoder->lists_all_keys) all_decoded_ = false;
        const bool has_bytes =
            delegate->processed()->location() == schema::DataLocation::SEGMENT || InlineBytesOf(*delegate) != nullptr;
        if (decoder == nullptr || !has_bytes) continue;
        PTEEDIT_ASSIGN(const Sha256Digest identity, once.IdentityOf(*delegate));
        const auto [place, is_new] = decoded.try_emplace(identity);
        if (is_new) PTEEDIT_TRY(Examine(once.Decode(*delegate), *decoder, name, place->second));
        blobs.back() = &place->second;
      }
      CheckCalls(*plan, names[plan_index++], blobs);
    }
    return {};
  }

  const flatbuffers::Vector<uint8_t>* InlineBytesOf(const schema::BackendDelegate& delegate) const {
    return program_.state().program_root().backend_delegate_data()->Get(delegate.processed()->index())->data();
  }

  Status Examine(Result<DecodedBlob> decoded, const Decoder& decoder, const std::string& name, DecodedBlob& blob) {
    if (!decoded) {
      if (decoded.error().code == ErrorCode::kIo) return std::move(decoded).error();
      all_decoded_ = false;
      found_[0].AddWarning("blob-unread", Text("delegate ", Quoted(name)),
                           Text("cannot be looked into: ", decoded.error().message));
      return {};
    }
    blob = *std::move(decoded);
    if (!blob.problems.empty()) all_decoded_ = false;
    for (Finding problem : blob.problems) {
      problem.where =
          problem.where.empty() ? Text("delegate ", Quoted(name)) : Text(problem.where, " of delegate ", Quoted(name));
      found_[0].Add(std::move(problem));
    }
    for (const BlobConstant& constant : blob.constants) {
      if (!constant.key.empty()) CheckBlobKey(constant.key, constant.bytes, decoder, name);
    }
    for (const std::string& key : blob.keys) CheckBlobKey(key, 0, decoder, name);
    // Only what calls are checked against is kept: what blobs have, many may share.
    blob.operators = {}, blob.constants = {}, blob.parts = {}, blob.keys = {};
    return {};
  }

  // A backend reads as many arguments as its graph has, however many there are. Exporters give some calls more.
  void CheckCalls(const schema::ExecutionPlan& plan, const DelegateNames& names,
                  const std::vector<const DecodedBlob*>& blobs) {
    for (const schema::Chain* chain : OrEmpty(plan.chains())) {
      size_t index = 0;
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        const size_t here = index++;
        const auto* call = instruction->instr_args_as_DelegateCall();
        if (call == nullptr || static_cast<size_t>(call->delegate_index()) >= blobs.size()) continue;
        const auto delegate = static_cast<size_t>(call->delegate_index());
        const DecodedBlob* blob = blobs[delegate];
        if (blob == nullptr || !blob->arguments) continue;
        const std::string where = Text("instruction ", here, " of method ", Quoted(ViewOf(plan.name())));
        const auto& given = OrEmpty(call->args());
        if (given.size() < *blob->arguments) {
          found_[0].AddError("delegate-arguments", where,
                             Text("gives ", given.size(), " arguments to ", Quoted(names[delegate]), ", which takes ",
                                  *blob->arguments));
          continue;
        }
        for (const BlobArgument& tensor : blob->tensors) {
          if (!CheckArgument(plan, given, tensor, names[delegate], where)) break;  // one tells enough of a call
        }
      }
    }
  }

  bool CheckArgument(const schema::ExecutionPlan& plan, const flatbuffers::Vector<int32_t>& given,
                     const BlobArgument& wanted, const std::string& name, const std::string& where) {
    const auto& values = OrEmpty(plan.values());
    const auto value = static_cast<uint32_t>(given.Get(static_cast<uint32_t>(wanted.index)));
    if (value >= values.size()) return true;  // reported with the instruction
    const schema::Tensor* tensor = values.Get(value)->val_as_Tensor();
    const auto wrong = [&](const std::string& actual, const std::string& expected) {
      found_[0].AddError(
          "delegate-arguments", where,
          Text("gives ", actual, " to ", Quoted(name), " as argument ", wanted.index, ", which takes ", expected));
      return false;
    };
    if (tensor == nullptr) return wrong("no tensor", "one");
    const auto type = std::find(wanted.types.begin(), wanted.types.end(), tensor->scalar_type());
    if (!wanted.types.empty() && type == wanted.types.end()) {
      return wrong(Text("a tensor of ", ScalarTypeName(static_cast<int8_t>(tensor->scalar_type()))), wanted.dtype);
    }
    const size_t dims = OrEmpty(tensor->sizes()).size();
    if (dims == wanted.dims || (dims == 0 && wanted.dims == 1)) return true;
    return wrong(Text("a tensor of ", dims, " dimensions"), Text(wanted.dims));
  }

  // Data files are asked first.
  const NamedEntry* FindKey(std::string_view key) const {
    const std::optional<KeyPlace> found = set_.Find(key);
    return found ? found->entry : nullptr;
  }

  void CheckBlobKey(const std::string& key, uint64_t bytes, const Decoder& decoder, const std::string& name) {
    const NamedEntry* entry = FindKey(key);
    if (entry == nullptr) {
      if (!missing_.insert(key).second) return;
      found_[0].AddError("key-missing", Text("delegate ", Quoted(name)),
                         Text("needs key ", Quoted(key), ", which neither the program nor a data file has"));
      return;
    }
    decoded_keys_.insert(entry->key);
    if (!decoder.keys_hash_more) hashes_.insert(entry->key);
    if (entry->extent.size >= bytes) return;
    const DataPlace* outside = set_.FindInData(entry->key);
    Findings& found = outside == nullptr ? found_[0] : found_[1 + outside->file];
    found.AddError("segment-too-short", KeyWords(entry->key),
                   Text("has ", entry->extent.size, " bytes, delegate ", Quoted(name), " needs ", bytes));
  }

  // Says how much of a data file this program leaves alone; of what opaque delegates use nobody knows.
  void CheckUnused() {
    if (!all_decoded_) return;
    std::set<std::string_view> used = decoded_keys_;
    const schema::Program& root = program_.state().program_root();
    ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
      if (StoreOf(root, tensor) != Store::kExternal) return;
      used.insert(ViewOf(tensor.extra_tensor_info()->fully_qualified_name()));
    });
    struct Unused {
      size_t count = 0;
      uint64_t bytes = 0;
      std::string_view first;
    };
    std::vector<Unused> unused(data_.size());
    for (const DataPlace& place : set_.data_keys()) {
      if (used.count(place.key()) != 0 || IsBindingEntry(*place.entry)) continue;
      Unused& sum = unused[place.file];
      if (sum.count++ == 0) sum.first = place.key();
      sum.bytes += place.entry->extent.size;
    }
    for (size_t i = 0; i < unused.size(); ++i) {
      if (unused[i].count == 0) continue;
      found_[1 + i].AddWarning(
          "keys-unused", "",
          Text("has ", unused[i].count, " of ", data_[i].named_data().size(), " keys (", unused[i].bytes,
               " bytes) that ", program_.name(), " does not use, the first ", Quoted(unused[i].first)));
    }
  }

  Status CheckHashes() {
    PTEEDIT_ASSIGN(const std::vector<Finding> inside, CheckPromises(program_, hashes_, options_));
    for (const Finding& finding : inside) found_[0].Add(finding);
    for (size_t i = 0; i < data_.size(); ++i) {
      PTEEDIT_ASSIGN(const std::vector<Finding> outside, CheckPromises(data_[i], hashes_, options_));
      for (const Finding& finding : outside) found_[1 + i].Add(finding);
    }
    return {};
  }

  const ProgramSet& set_;
  const Container& program_;
  const std::vector<Container>& data_;
  const VerifyOptions& options_;
  std::vector<Findings> found_;
  std::set<std::string_view> decoded_keys_;  // that decoded graphs use
  std::set<std::string_view> hashes_;        // those of them whose form may tell their content
  std::set<std::string> missing_;
  bool all_decoded_ = true;
};

}  // namespace

Result<std::vector<std::vector<Finding>>> VerifySet(const ProgramSet& set, const VerifyOptions& options) {
  return SetVerifier(set, options).Verify();
}

Result<std::vector<Finding>> VerifyData(const Container& data, bool loads_alone, const VerifyOptions& options) {
  Findings found;
  if (!data.header().layout_06) {
    const schema::flat::FlatTensor& root = data.state().data_root();
    if (root.named_data() == nullptr) found.AddError("field-missing", "", "has no list of keys");
    if (root.segments() == nullptr) found.AddError("field-missing", "", "has no list of segments");
    for (const schema::flat::NamedData* entry : OrEmpty(root.named_data())) {
      const auto* layout = entry->tensor_layout();
      if (layout == nullptr) continue;
      const auto count = OrEmpty(layout->sizes()).size();
      if (layout->sizes() == nullptr || layout->dim_order() == nullptr || layout->dim_order()->size() != count) {
        found.AddError("field-missing", KeyWords(ViewOf(entry->key())), "has a layout without sizes or dim order");
      }
    }
  }
  if (data.named_data().empty() && loads_alone) {
    found.AddError("no-keys", "", "has no keys; runtimes refuse to load such a file alone");
  }
  CheckNameBytes(data, found);
  std::set<std::string_view> keys;
  for (const NamedEntry& entry : data.named_data()) {
    if (!keys.insert(entry.key).second) found.AddError("key-twice", KeyWords(entry.key), "occurs twice");
    if (!entry.layout) continue;
    const std::optional<uint64_t> bytes = ByteSize(*entry.layout);
    if (!bytes) {
      found.AddError("scalar-type", KeyWords(entry.key),
                     Text("has element type ", static_cast<int>(entry.layout->scalar_type)));
    } else if (*bytes > entry.extent.size) {
      found.AddError("segment-too-short", KeyWords(entry.key),
                     Text("has ", entry.extent.size, " bytes, its layout needs ", *bytes));
    }
    const uint64_t element = ElementSize(entry.layout->scalar_type).value_or(1);
    if (entry.extent.size == 0 || entry.extent.offset % element == 0) continue;
    found.AddError("data-misaligned", KeyWords(entry.key),
                   Text("has elements of ", element, " bytes at byte ", entry.extent.offset, ", no multiple of that"));
  }
  std::vector<Finding> list = std::move(found).Take();
  if (!options.hash_keys) return list;
  PTEEDIT_ASSIGN(const std::vector<Finding> claims, CheckPromises(data, {}, options));
  list.insert(list.end(), claims.begin(), claims.end());
  return list;
}

}  // namespace pteedit
