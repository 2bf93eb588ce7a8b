// What our code uses of C++20 and the libc++ 13 of Debian 12's emscripten lacks; read before everything else. To be
// removed with the folder once that is newer.
#ifndef PTEEDIT_WEB_OLD_LIBCXX13_H_
#define PTEEDIT_WEB_OLD_LIBCXX13_H_

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>

#if _LIBCPP_VERSION >= 14000
#error "is newer than libc++ 13: have a look at what of this is still needed"
#endif

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

// The shortest digits that stand for the number; of the two forms the shorter one.
inline to_chars_result to_chars(char* first, char* last, double number) {
  constexpr int kMostDigits = 17;
  char scientific[32], fixed[512];
  int digits = 0;
  do snprintf(scientific, sizeof scientific, "%.*e", digits, number);
  while (strtod(scientific, nullptr) != number && ++digits < kMostDigits);
  const char* exponent = strchr(scientific, 'e');
  const int power = exponent == nullptr ? 0 : atoi(exponent + 1);
  snprintf(fixed, sizeof fixed, "%.*f", max(0, digits - power), number);
  const string text = strlen(fixed) <= strlen(scientific) ? fixed : scientific;
  if (last - first < static_cast<ptrdiff_t>(text.size())) return {last, errc::value_too_large};
  return {copy(text.begin(), text.end(), first), errc()};
}

inline from_chars_result from_chars(const char* first, const char* last, double& number) {
  const string text(first, last);
  char* end = nullptr;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  number = read;
  return {first + (end - text.c_str()), errc()};
}

namespace ranges {

template <class Relation, class Projection>
constexpr auto Projected(Relation relation, Projection projection) {
  return [=](const auto& a, const auto& b) -> bool {
    return std::invoke(relation, std::invoke(projection, a), std::invoke(projection, b));
  };
}

template <class Test>
constexpr auto Callable(Test test) {
  return [=](const auto& each) -> bool { return std::invoke(test, each); };
}

template <class Range, class Value, class Projection = identity>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](const auto& each) -> bool { return std::invoke(projection, each) == value; });
}

template <class Range, class Test>
constexpr auto find_if(Range&& range, Test test) {
  return std::find_if(std::begin(range), std::end(range), Callable(test));
}

template <class Range, class Test>
constexpr bool any_of(Range&& range, Test test) {
  return std::any_of(std::begin(range), std::end(range), Callable(test));
}

template <class Range, class Test>
constexpr bool all_of(Range&& range, Test test) {
  return std::all_of(std::begin(range), std::end(range), Callable(test));
}

template <class Range, class Test>
constexpr bool none_of(Range&& range, Test test) {
  return std::none_of(std::begin(range), std::end(range), Callable(test));
}

template <class Range, class Value>
constexpr auto count(Range&& range, const Value& value) {
  return std::count(std::begin(range), std::end(range), value);
}

template <class Range, class Relation = less, class Projection = identity>
constexpr void sort(Range&& range, Relation relation = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), Projected(relation, projection));
}

template <class Range, class Relation = less, class Projection = identity>
constexpr void stable_sort(Range&& range, Relation relation = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), Projected(relation, projection));
}

template <class Range, class Relation = less, class Projection = identity>
constexpr bool is_sorted(Range&& range, Relation relation = {}, Projection projection = {}) {
  return std::is_sorted(std::begin(range), std::end(range), Projected(relation, projection));
}

template <class Range, class Value, class Relation = less, class Projection = identity>
constexpr auto lower_bound(Range&& range, const Value& value, Relation relation = {}, Projection projection = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value, [&](const auto& each, const auto& bound) -> bool {
    return std::invoke(relation, std::invoke(projection, each), bound);
  });
}

template <class Range, class Value, class Relation = less, class Projection = identity>
constexpr auto upper_bound(Range&& range, const Value& value, Relation relation = {}, Projection projection = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value, [&](const auto& bound, const auto& each) -> bool {
    return std::invoke(relation, bound, std::invoke(projection, each));
  });
}

template <class Range, class Value>
constexpr bool binary_search(Range&& range, const Value& value) {
  return std::binary_search(std::begin(range), std::end(range), value, less());
}

template <class Range, class Visit>
constexpr void for_each(Range&& range, Visit visit) {
  std::for_each(std::begin(range), std::end(range), visit);
}

template <class Range, class Relation = equal_to, class Projection = identity>
constexpr auto adjacent_find(Range&& range, Relation relation = {}, Projection projection = {}) {
  return std::adjacent_find(std::begin(range), std::end(range), Projected(relation, projection));
}

template <class Iterator>
struct Rest {
  Iterator first, last;
  constexpr Iterator begin() const { return first; }
  constexpr Iterator end() const { return last; }
};

template <class Range, class Relation = equal_to, class Projection = identity>
constexpr auto unique(Range&& range, Relation relation = {}, Projection projection = {}) {
  const auto first = std::unique(std::begin(range), std::end(range), Projected(relation, projection));
  return Rest<decltype(first)>{first, std::end(range)};
}

}  // namespace ranges
}  // namespace std

#endif  // PTEEDIT_WEB_OLD_LIBCXX13_H_
