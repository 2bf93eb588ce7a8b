// Passing errors on in one line. PTEEDIT_TRY(expression) for a Status, PTEEDIT_ASSIGN(declaration, expression) for a
// Result.
#ifndef PTEEDIT_TRY_H_
#define PTEEDIT_TRY_H_

#include <utility>

#include "pteedit/result.h"

#define PTEEDIT_TRY(expression)                                    \
  do {                                                             \
    auto pteedit_status = (expression);                            \
    if (!pteedit_status) return std::move(pteedit_status).error(); \
  } while (false)

#define PTEEDIT_CONCAT_(a, b) a##b
#define PTEEDIT_CONCAT(a, b) PTEEDIT_CONCAT_(a, b)
#define PTEEDIT_ASSIGN_(name, declaration, expression) \
  auto name = (expression);                            \
  if (!name) return std::move(name).error();           \
  declaration = *std::move(name)
#define PTEEDIT_ASSIGN(declaration, expression) \
  PTEEDIT_ASSIGN_(PTEEDIT_CONCAT(pteedit_result_, __LINE__), declaration, expression)

#endif  // PTEEDIT_TRY_H_
