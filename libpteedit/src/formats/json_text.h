// Writing JSON by hand, where the order of members and the lines are part of a format.
#ifndef PTEEDIT_SRC_FORMATS_JSON_TEXT_H_
#define PTEEDIT_SRC_FORMATS_JSON_TEXT_H_

#include <string>
#include <string_view>

namespace pteedit {

// "name" in its quotes; what JSON cannot hold becomes U+FFFD.
std::string JsonText(std::string_view text);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_JSON_TEXT_H_
