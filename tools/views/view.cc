#include "views/view.h"

namespace pteedit::cli {

extern const View kHeadersView, kMethodsView, kTensorsView, kSegmentsView, kNamedDataView, kDelegatesView,
    kOperatorsView, kInstructionsView, kMemoryView, kMetadataView, kDelegationView, kRetainedView, kAdviseView,
    kGraphView, kStackTracesView;

const std::vector<const View*>& AllViews() {
  static const std::vector<const View*> kViews = {
      &kHeadersView,   &kMethodsView,      &kTensorsView, &kSegmentsView, &kNamedDataView,    &kDelegatesView,
      &kOperatorsView, &kInstructionsView, &kMemoryView,  &kMetadataView, &kRequirementsView, &kDelegationView,
      &kGraphView,     &kRetainedView,     &kAdviseView,  &kLeaksView,    &kStackTracesView};
  return kViews;
}

}  // namespace pteedit::cli
