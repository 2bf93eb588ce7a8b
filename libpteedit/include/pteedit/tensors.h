// The tensors of a data file (.ptd) one by one, data files that are made of tensors, and both ways between data files
// and checkpoints (.safetensors). Nothing is written here: results are plans.
#ifndef PTEEDIT_TENSORS_H_
#define PTEEDIT_TENSORS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"
#include "pteedit/source.h"

namespace pteedit {

// Those that have the very same place are tied: they are stored once.
struct StoredTensor {
  std::string key;
  std::optional<TensorLayout> layout;  // nothing where only a delegate understands the bytes
  std::shared_ptr<const Source> source;
  Extent extent;  // the bytes, in the order that the layout says
};

// In the order of the file. None where it is no data file.
PTEEDIT_API std::vector<StoredTensor> TensorsOf(const Container& data);

// Of a .safetensors file, in the order of its header, then those that its metadata calls another name of one of these,
// as safetensors.torch.save_model does. Layouts are row-major where the metadata has none that PlanCheckpoint wrote.
// Equal contents are tied, for which those of equal size are read.
// Fails with kUnsupported where it is none or data files have no such elements, kMalformed where it is damaged, kIo
// where it cannot be read.
PTEEDIT_API Result<std::vector<StoredTensor>> ReadCheckpoint(const std::shared_ptr<const Source>& file);

struct PlannedTensors {
  PlannedFile file;
  RewriteReport report;  // items: the tensors, from the source's name
};

// A .ptd, the tensors in their order, each place aligned to `alignment`, a power of two from 16 to 65536. An entry to
// which programs are bound becomes, behind all others, the one of these contents, for which they are read with
// `threads` threads. Fails with kInvalidArgument where there are no tensors, which no runtime loads, a key is there
// twice, or a tensor has other bytes than its layout says.
PTEEDIT_API Result<PlannedTensors> PlanDataFile(const std::vector<StoredTensor>& tensors, const std::string& name,
                                                uint64_t alignment = 16, unsigned threads = 1);

// A .safetensors: elements in row-major order; in the metadata tied tensors under their other names, and layouts that
// the format has no words for. Fails with kUnsupported where a key cannot stand in JSON, or more than 256 MiB would
// have to be put into another order.
PTEEDIT_API Result<PlannedTensors> PlanCheckpoint(const std::vector<StoredTensor>& tensors, const std::string& name);

}  // namespace pteedit

#endif  // PTEEDIT_TENSORS_H_
