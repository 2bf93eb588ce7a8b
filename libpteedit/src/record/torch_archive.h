// What torch.save writes: a zip archive with a pickle, data.pkl, and one entry for each storage that its tensors lie
// in, data/0 and so on, all of them in a folder of any name.
#ifndef PTEEDIT_SRC_RECORD_TORCH_ARCHIVE_H_
#define PTEEDIT_SRC_RECORD_TORCH_ARCHIVE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/zip_file.h"
#include "pteedit/profile/tensor_values.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct TorchValues {
  // Of a dictionary, in its order; with "" for its key what is none.
  std::vector<std::pair<std::string, DebugValue>> entries;
  bool is_dict = false;
};

// Tuples are lists. Data of tensors are windows of `source`; those of a tensor that is not contiguous are gathered when
// they are read. kUnsupported where the archive holds anything but tensors, numbers, texts, and lists and
// dictionaries by text of these, or is over limits, see torch_archive.cc; kMalformed where it is damaged or a tensor
// does not lie inside its storage; kIo where the source cannot be read.
Result<TorchValues> ReadTorchArchive(const std::shared_ptr<const Source>& source);

// The same of an entry of a record, deflated or not.
Result<TorchValues> ReadTorchEntry(const ZipFile& zip, const ZipEntry& entry);

// The same of the pickle alone; `open_storage` gives the bytes of a storage by its key, "0".
using OpenStorage = std::function<Result<std::shared_ptr<const Source>>(std::string_view key)>;
Result<TorchValues> ReadTorchPickle(std::string_view bytes, const OpenStorage& open_storage);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_TORCH_ARCHIVE_H_
