#include "pod_json.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "source_dir.h"

namespace berth::bench {

namespace {

// Without line breaks.
std::string read_template() {
  std::ifstream file(BERTH_SOURCE_DIR "/bench/pod.json");
  std::string text;
  for (std::string line; std::getline(file, line);) {
    text += line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }
  if (text.empty()) std::abort();
  return text;
}

std::string padded(int number) {
  std::string text = std::to_string(number);
  return std::string(12 - text.size(), '0') + text;
}

}  // namespace

std::string pod_json(int n) {
  static const std::string kTemplate = read_template();
  const std::map<std::string, std::string> values{{"N", std::to_string(n)},
                                                  {"GANG", std::to_string(n / 16)},
                                                  {"TEAM", std::to_string(n % 40)},
                                                  {"NODE", std::to_string(n % 5000)},
                                                  {"UID", padded(n)}};
  std::string text;
  for (std::size_t at = 0; at < kTemplate.size();) {
    const std::size_t begin = kTemplate.find('@', at);
    const std::size_t end = kTemplate.find('@', begin + 1);
    text += kTemplate.substr(at, begin - at);
    if (end == std::string::npos) {
      if (begin != std::string::npos) text += kTemplate.substr(begin);
      break;
    }
    const auto value = values.find(kTemplate.substr(begin + 1, end - begin - 1));
    text += value == values.end() ? "@" : value->second;
    at = value == values.end() ? begin + 1 : end + 1;
  }
  return text;
}

}  // namespace berth::bench
