#pragma once

#include <string>
#include <utility>
#include <variant>

#include "berth/base/check.h"

namespace berth {

// An operating error: a missing file, an unreadable value, a server that does not answer. A refusal
// to place something is a Verdict (engine/verdict.h), never an Error.
struct Error {
  std::string message;  // lower case, no full stop: the fault and the expected state
  std::string where;    // "file:line:column", "--flag", a URL; empty when unknown

  // "where: message", or the message alone.
  std::string to_string() const { return where.empty() ? message : where + ": " + message; }
};

// A value or an Error. The member names are those of std::expected, so that it can become an alias.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return require(), std::get<0>(state_); }
  const T& value() const& { return require(), std::get<0>(state_); }
  T&& value() && { return require(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    BERTH_CHECK(!has_value());
    return std::get<1>(state_);
  }

 private:
  void require() const { BERTH_CHECK(has_value()); }

  std::variant<T, Error> state_;
};

struct Done {};  // the value of an operation without a result

using Status = Result<Done>;

}  // namespace berth
