#include "kubeapi/line_splitter.h"

namespace berth::kubeapi {

bool LineSplitter::feed(std::string_view bytes,
                        const std::function<void(std::string_view)>& on_line) {
  const auto emit = [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) on_line(line);
  };
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > line_max_) return false;
    if (end == std::string_view::npos) {
      rest_ += piece;
      return true;
    }
    bytes.remove_prefix(end + 1);
    if (rest_.empty()) {
      emit(piece);
    } else {
      rest_ += piece;
      emit(rest_);
      rest_.clear();
    }
  }
  return true;
}

}  // namespace berth::kubeapi
