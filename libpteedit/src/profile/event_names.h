// How the runtime names what it logs of instructions.
#ifndef PTEEDIT_SRC_PROFILE_EVENT_NAMES_H_
#define PTEEDIT_SRC_PROFILE_EVENT_NAMES_H_

#include <string_view>

#include "pteedit/profile/event_blocks.h"

namespace pteedit {

inline constexpr std::string_view kKernelCall = "native_call_";     // before the kernel: "native_call_add.out"
inline constexpr std::string_view kOperatorCall = "OPERATOR_CALL";  // the same with what it takes to call it
inline constexpr std::string_view kDelegateCall = "DELEGATE_CALL";
inline constexpr std::string_view kJumpCall = "JF_CALL";
inline constexpr std::string_view kMethodExecute = "Method::execute";  // all of a run
inline constexpr std::string_view kMethodInit = "Method::init";
inline constexpr std::string_view kLoadMethod = "Program::load_method";  // with Method::init in it

// The operator of a kernel's event: "add" of "native_call_add.out". Empty for other events.
inline std::string_view KernelOf(std::string_view event) {
  if (!event.starts_with(kKernelCall)) return {};
  event.remove_prefix(kKernelCall.size());
  return event.substr(0, event.find('.'));
}

// Not of the runtime itself.
inline bool IsOfInstruction(const ProfiledEvent& event) { return event.kind() != EventKind::kRuntime; }

// The call of a delegate, or a row that the delegate logged itself.
inline bool IsOfDelegate(const ProfiledEvent& event) { return event.is_delegated() || event.name == kDelegateCall; }

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_EVENT_NAMES_H_
