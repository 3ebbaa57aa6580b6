#include "pod_json.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "support/checkout.h"

namespace berth::bench {

namespace {

// Without line breaks.
std::string read_template() {
  std::ifstream file(support::source_file("bench/pod.json"));
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

std::string with_terms(std::string text) {
  const std::string selector = R"("labelSelector":{"matchLabels":{"gang":"trainer-@GANG@"}})";
  const auto term = [&](const std::string& key) {
    return R"({"requiredDuringSchedulingIgnoredDuringExecution":[{)" + selector +
           R"(,"topologyKey":")" + key + "\"}]}";
  };
  const auto insert = [&](const std::string& after, const std::string& more) {
    const std::size_t at = text.find(after);
    if (at == std::string::npos) std::abort();
    text.insert(at + after.size(), more);
  };
  insert(R"("app":"trainer",)", R"("gang":"trainer-@GANG@",)");
  insert(R"("spec":{)", R"("affinity":{"podAffinity":)" + term("topology.kubernetes.io/zone") +
                            R"(,"podAntiAffinity":)" + term("kubernetes.io/hostname") + "},");
  return text;
}

}  // namespace

std::string pod_json(int n, bool has_terms) {
  static const std::string kPlain = read_template();
  static const std::string kWithTerms = with_terms(kPlain);
  const std::string& pattern = has_terms ? kWithTerms : kPlain;
  const std::map<std::string, std::string> values{{"N", std::to_string(n)},
                                                  {"GANG", std::to_string(n / 16)},
                                                  {"TEAM", std::to_string(n / 16 % 40)},
                                                  {"NODE", std::to_string(n % 5000)},
                                                  {"UID", padded(n)}};
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t begin = pattern.find('@', at);
    const std::size_t end = pattern.find('@', begin + 1);
    text += pattern.substr(at, begin - at);
    if (end == std::string::npos) {
      if (begin != std::string::npos) text += pattern.substr(begin);
      break;
    }
    const auto value = values.find(pattern.substr(begin + 1, end - begin - 1));
    text += value == values.end() ? "@" : value->second;
    at = value == values.end() ? begin + 1 : end + 1;
  }
  return text;
}

}  // namespace berth::bench
