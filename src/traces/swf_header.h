#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace berth::traces {

// TRACE-10: the comments before the first job, such as "MaxNodes: 100".
class SwfHeader {
 public:
  // A comment without its semicolon. The values of a repeated key become lines of one text.
  void add(std::string_view comment);

  // The number that the first value of the key begins with; 0 if there is none.
  std::int64_t number(const std::string& key) const;
  std::map<std::string, std::string> values() && { return std::move(values_); }

 private:
  std::map<std::string, std::string> values_;
  std::size_t size_ = 0;
};

}  // namespace berth::traces
