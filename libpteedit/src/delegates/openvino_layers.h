// The layers of an OpenVINO model that are open where its XML text is read, and what one may have at most.
#ifndef PTEEDIT_SRC_DELEGATES_OPENVINO_LAYERS_H_
#define PTEEDIT_SRC_DELEGATES_OPENVINO_LAYERS_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/xml_reader.h"
#include "pteedit/result.h"

namespace pteedit {

inline constexpr size_t kMaxOpenVinoLayers = 100'000;
inline constexpr size_t kMaxOpenVinoLevels = 32;  // of layers inside layers

// Whether a layer of this type computes something.
inline bool IsOpenVinoOperator(std::string_view type) {
  return type != "Const" && type != "Parameter" && type != "Result";
}

// Bodies of layers have layers of their own, with numbers of their own: those of one level().
template <class Layer>
class OpenLayers {
 public:
  // Both fail with kUnsupported.
  Status Begin(const XmlTag& tag, Layer layer) {
    if (++count_ > kMaxOpenVinoLayers) return Unsupported(Text("model has more than ", kMaxOpenVinoLayers, " layers"));
    if (tag.kind == XmlTag::Kind::kEmpty) return {};
    if (level() == kMaxOpenVinoLevels)
      return Unsupported(Text("model has more than ", kMaxOpenVinoLevels, " layers in each other"));
    open_.push_back(std::move(layer));
    return {};
  }
  Status End() {
    if (open_.empty()) return Unsupported("model ends a layer that it did not begin");
    open_.pop_back();
    return {};
  }

  bool empty() const { return open_.empty(); }
  size_t level() const { return open_.size(); }
  Layer& back() { return open_.back(); }

 private:
  std::vector<Layer> open_;  // from the outermost on
  size_t count_ = 0;         // of all
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_OPENVINO_LAYERS_H_
