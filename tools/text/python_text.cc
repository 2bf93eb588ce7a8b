#include "text/python_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace pteedit::cli {
namespace {

// Decimal where the first digit stands for 1e-4 to 1e15, as Python has it.
constexpr int kMinDecimal = -4, kMaxDecimal = 16;

std::string ReprOf(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  char* const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific).ptr;
  const std::string scientific(buffer.data(), end);  // "-1.25e-05"
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  if (exponent < kMinDecimal || exponent >= kMaxDecimal) return scientific;
  char* const fixed_end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed).ptr;
  std::string fixed(buffer.data(), fixed_end);
  return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
}

// In single quotes, unless the text has such and no double ones.
std::string ReprOf(const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos, has_double = text.find('"') != std::string::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string repr(1, quote);
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    std::array<char, 8> hex{};
    if (c == quote || c == '\\') {
      repr += std::string("\\") + c;
    } else if (c == '\n' || c == '\r' || c == '\t') {
      repr += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else if (code < 0x20 || code == 0x7f) {
      std::snprintf(hex.data(), hex.size(), "\\x%02x", code);
      repr += hex.data();
    } else {
      repr += c;
    }
  }
  return repr + quote;
}

// All quotes as above, what is not ASCII as \\xNN.
std::string BytesRepr(const Json::binary_t& bytes) {
  const std::string text(bytes.begin(), bytes.end());
  std::string repr = "b";
  for (const char c : ReprOf(text)) {
    std::array<char, 8> hex{};
    if (const auto code = static_cast<unsigned char>(c); code >= 0x80) {
      std::snprintf(hex.data(), hex.size(), "\\x%02x", code);
      repr += hex.data();
    } else {
      repr += c;
    }
  }
  return repr;
}

std::string_view Stripped(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Digits with single underscores between them.
bool AreDigits(std::string_view text) {
  bool was_digit = false;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c != '_' || !was_digit)) return false;
    was_digit = is_digit;
  }
  return was_digit;
}

std::string_view WithoutSign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::string PythonRepr(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number_float()) return ReprOf(value.get<double>());
  if (value.is_string()) return ReprOf(value.get<std::string>());
  if (value.is_binary()) return BytesRepr(value.get_binary());
  std::string text;
  if (value.is_array()) {
    for (const Json& item : value) text += (text.empty() ? "" : ", ") + PythonRepr(item);
    return "[" + text + "]";
  }
  if (!value.is_object()) return value.dump();
  for (const auto& [name, item] : value.items())
    text += (text.empty() ? "" : ", ") + ReprOf(name) + ": " + PythonRepr(item);
  return "{" + text + "}";
}

std::string PythonGeneral(double number) {
  if (std::isnan(number)) return "nan";
  std::array<char, 64> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), "%g", number);
  return {buffer.data(), static_cast<size_t>(size)};
}

bool IsPythonInt(std::string_view text) { return AreDigits(WithoutSign(Stripped(text))); }

bool IsPythonFloat(std::string_view text) {
  text = WithoutSign(Stripped(text));
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "inf" || lower == "infinity" || lower == "nan") return true;
  const size_t exponent = lower.find('e');
  if (exponent != std::string::npos && !AreDigits(WithoutSign(text.substr(exponent + 1)))) return false;
  const std::string_view mantissa = text.substr(0, exponent);
  const size_t point = mantissa.find('.');
  if (point == std::string_view::npos) return AreDigits(mantissa);
  const std::string_view before = mantissa.substr(0, point), after = mantissa.substr(point + 1);
  return (before.empty() || AreDigits(before)) && (after.empty() || AreDigits(after)) && mantissa.size() > 1;
}

}  // namespace pteedit::cli
