// What the layers of an OpenVINO model compute and move; see pteedit/operator_work.h.
#ifndef PTEEDIT_SRC_DELEGATES_OPENVINO_WORK_H_
#define PTEEDIT_SRC_DELEGATES_OPENVINO_WORK_H_

#include <string_view>
#include <vector>

#include "pteedit/operator_work.h"
#include "pteedit/result.h"

namespace pteedit {

// Of the layers that compute, in the order of the XML text, by the shapes of their ports. Fails with kUnsupported where
// the text is damaged, or has more than kMaxOpenVinoLayers layers, 400,000 ports or kMaxOpenVinoLevels levels.
Result<std::vector<OperatorWork>> MeasureOpenVinoLayers(std::string_view xml);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_OPENVINO_WORK_H_
