#include "views/view.h"

namespace pteedit::inspect {

extern const View kHeadersView, kMethodsView, kTensorsView, kSegmentsView, kNamedDataView, kDelegatesView,
    kOperatorsView, kInstructionsView, kMemoryView, kMetadataView, kDelegationView, kAdviseView;

const std::vector<const View*>& AllViews() {
  static const std::vector<const View*> views = {
      &kHeadersView,   &kMethodsView,      &kTensorsView, &kSegmentsView, &kNamedDataView,   &kDelegatesView,
      &kOperatorsView, &kInstructionsView, &kMemoryView,  &kMetadataView, &kRequirementsView,
      &kDelegationView, &kAdviseView};
  return views;
}

}  // namespace pteedit::inspect
