// A value or an Error: the part of C++23's std::expected that this project uses, because the oldest
// supported compilers (GCC 12, clang 14 in C++20 mode) don't have it and the engine takes no
// dependency for it. [[nodiscard]]: ignoring a failure is a compiler warning, hence an error.
#pragma once

#include <thermocline/error.h>

#include <type_traits>
#include <utility>
#include <variant>

namespace thermocline {

template <typename T>
class [[nodiscard]] Expected {
 public:
  using value_type = T;

  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // Only when has_value().
  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }

  // Only when !has_value().
  Error& error() & noexcept { return *std::get_if<1>(&state_); }
  const Error& error() const& noexcept { return *std::get_if<1>(&state_); }
  Error&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Expected<void> {
 public:
  using value_type = void;

  Expected() = default;
  Expected(Error error) : error_(std::move(error)), failed_(true) {}  // NOLINT: implicit

  bool has_value() const noexcept { return !failed_; }
  explicit operator bool() const noexcept { return has_value(); }
  Error& error() & noexcept { return error_; }
  const Error& error() const& noexcept { return error_; }
  Error&& error() && noexcept { return std::move(error_); }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace thermocline

// Returns the error of `expression` from the enclosing function, or goes on.
#define THERMOCLINE_CONCAT_INNER(a, b) a##b
#define THERMOCLINE_CONCAT(a, b) THERMOCLINE_CONCAT_INNER(a, b)
#define THERMOCLINE_CHECK(expression)                      \
  do {                                                     \
    if (auto check_result = (expression); !check_result) { \
      return std::move(check_result).error();              \
    }                                                      \
  } while (false)
// Declares `declaration` and sets it to the value of `expression`, or returns its error.
// NOLINTBEGIN(bugprone-macro-parentheses): declarations can't stand in parentheses.
#define THERMOCLINE_ASSIGN(declaration, expression) \
  THERMOCLINE_ASSIGN_INNER(THERMOCLINE_CONCAT(assign_result_, __LINE__), declaration, expression)
#define THERMOCLINE_ASSIGN_INNER(name, declaration, expression) \
  auto name = (expression);                                     \
  if (!name) return std::move(name).error();                    \
  declaration = *std::move(name)
// NOLINTEND(bugprone-macro-parentheses)
