#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace berth::kubeapi {

// Cuts bytes into lines. The end of the last line is kept for the next bytes.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t line_max) : line_max_(line_max) {}

  // Drops empty lines and carriage returns. False if a line is too long.
  bool feed(std::string_view bytes, const std::function<void(std::string_view)>& on_line);

 private:
  std::size_t line_max_;
  std::string rest_;
};

}  // namespace berth::kubeapi
