#include "tidy/include_gates.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

namespace berth::tidy {

namespace {

const std::set<std::string> kCore{"base",  "model",   "engine", "mirror",
                                  "ports", "actions", "plugins"};

// The prefixes of a library's headers, by its CMake target.
const std::map<std::string, std::string> kHeaders{
    {"fmt::fmt", "fmt/"},
    {"spdlog::spdlog", "spdlog/"},
    {"nlohmann_json::nlohmann_json", "nlohmann/"},
    {"yaml-cpp", "yaml-cpp/"},
    {"simdjson::simdjson", "simdjson.h"},
    {"prometheus-cpp::core", "prometheus/"},
    {"CLI11::CLI11", "CLI/"},
    {"protobuf::libprotobuf", "google/protobuf/"},
    {"Boost::headers", "boost/"},
    {"cpprestsdk::cpprest", "cpprest/"},
    {"OpenSSL::SSL", "openssl/"},
    {"OpenSSL::Crypto", "openssl/"},
    {"PkgConfig::NGHTTP2", "nghttp2/"},
    {"PkgConfig::RE2", "re2/"},
    {"CURL::libcurl", "curl/"},
    {"ZLIB::ZLIB", "zlib.h"},
};

struct Include {
  std::string path;
  bool quoted = false;
  std::size_t line = 0;
};

std::vector<Include> includes_of(const File& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  std::vector<Include> includes;
  const std::vector<std::string> lines = file.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(lines[i], match, kInclude)) continue;
    includes.push_back({match[2], match[1] == "\"", i + 1});
  }
  return includes;
}

std::string component(const std::string& path, std::size_t which) {
  std::istringstream stream(path);
  std::string part;
  for (std::size_t i = 0; i <= which; ++i) {
    if (!std::getline(stream, part, '/')) return "";
  }
  return part;
}

// Empty for tests and benchmarks, which may include everything.
std::string layer_of_file(const File& file) {
  if (file.is_below("include/berth")) return component(file.path, 2);
  if (file.is_below("src")) return component(file.path, 1);
  return file.is_below("plugins") ? "plugins" : "";
}

std::string layer_of_include(const std::string& path) {
  return component(path, path.starts_with("berth/") ? 1 : 0);
}

// The standard library has neither folders nor suffixes; <cstdint>, not <stdint.h>.
bool is_standard(const std::string& path) { return path.find_first_of("/.") == std::string::npos; }

std::optional<std::string> library_of(const std::string& path) {
  for (const auto& [library, headers] : kHeaders) {
    if (path.starts_with(headers)) return headers;
  }
  return std::nullopt;
}

bool may_use(const std::set<std::string>& libraries, const std::string& headers) {
  return std::any_of(libraries.begin(), libraries.end(), [&](const std::string& library) {
    const auto known = kHeaders.find(library);
    return known != kHeaders.end() && known->second == headers;
  });
}

std::map<std::string, Layer> declared_layers(const Tree& tree) {
  const File* cmake = tree.find("CMakeLists.txt");
  return cmake == nullptr ? std::map<std::string, Layer>{} : layers_of(cmake->text);
}

}  // namespace

std::map<std::string, Layer> layers_of(const std::string& cmake) {
  static const std::regex kLayer(R"((?:^|\n)berth_(?:layer|objects)\(([^)]*)\))");
  std::map<std::string, Layer> layers;
  for (std::sregex_iterator at(cmake.begin(), cmake.end(), kLayer), end; at != end; ++at) {
    std::istringstream words((*at)[1].str());
    std::string name;
    words >> name;
    Layer& layer = layers[name];
    layer.below.insert(name);
    std::string section;
    for (std::string word; words >> word;) {
      if (word == "DEPENDS" || word == "THIRD_PARTY" || word == "DIRECTORY") {
        section = word;
      } else if (section == "DEPENDS") {
        const auto below = layers.find(word);  // those above are not known yet: cycles show
        layer.below.insert(word);
        if (below != layers.end()) {
          layer.below.insert(below->second.below.begin(), below->second.below.end());
        }
      } else if (section == "THIRD_PARTY") {
        layer.third_party.insert(word);
      }
    }
  }
  return layers;
}

Complaints layers_that_point_up(const Tree& tree) {
  const File* cmake = tree.find("CMakeLists.txt");
  if (cmake == nullptr) return {"CMakeLists.txt: not found"};
  Complaints complaints;
  std::set<std::string> declared;
  static const std::regex kName(R"((?:^|\n)berth_(?:layer|objects)\((\w+))");
  const auto layers = layers_of(cmake->text);
  for (std::sregex_iterator at(cmake->text.begin(), cmake->text.end(), kName), end; at != end;
       ++at) {
    const std::string name = (*at)[1];
    const std::size_t line = line_at(cmake->text, static_cast<std::size_t>(at->position(1)));
    declared.insert(name);
    const Layer& layer = layers.at(name);
    for (const std::string& below : layer.below) {
      if (!declared.contains(below)) {
        complaints.push_back(complaint(*cmake, line, name + " is declared before " + below));
      }
      if (kCore.contains(name) && !kCore.contains(below)) {
        complaints.push_back(complaint(*cmake, line, name + " is core, " + below + " is not"));
      }
    }
    if (!kCore.contains(name)) continue;
    for (const std::string& library : layer.third_party) {
      complaints.push_back(complaint(*cmake, line, name + " is core and may not use " + library));
    }
  }
  return complaints;
}

Complaints includes_that_point_up(const Tree& tree) {
  Complaints complaints;
  const auto layers = declared_layers(tree);
  for (const File& file : tree.files) {
    const std::string name = layer_of_file(file);
    if (!file.is_code() || name.empty()) continue;
    const auto layer = layers.find(name);
    if (layer == layers.end()) {
      complaints.push_back(complaint(file, 1, "layer \"" + name + "\" is not in CMakeLists.txt"));
      continue;
    }
    for (const Include& include : includes_of(file)) {
      const bool is_ours = include.quoted || include.path.starts_with("berth/");
      if (!is_ours || layer->second.below.contains(layer_of_include(include.path))) continue;
      complaints.push_back(
          complaint(file, include.line, name + " may not include \"" + include.path + "\""));
    }
  }
  return complaints;
}

Complaints includes_of_third_parties(const Tree& tree) {
  Complaints complaints;
  const auto layers = declared_layers(tree);
  for (const File& file : tree.files) {
    const std::string name = layer_of_file(file);
    const auto layer = layers.find(name);
    if (!file.is_code() || layer == layers.end()) continue;
    for (const Include& include : includes_of(file)) {
      if (include.quoted || is_standard(include.path)) continue;
      const auto library = library_of(include.path);
      const bool is_allowed = library ? may_use(layer->second.third_party, *library)
                                      : !kCore.contains(name) && include.path.ends_with(".h");
      if (is_allowed && !file.is_below("include")) continue;
      complaints.push_back(
          complaint(file, include.line, name + " may not include <" + include.path + ">"));
    }
  }
  return complaints;
}

Complaints includes_out_of_order(const Tree& tree) {
  Complaints complaints;
  for (const File& file : tree.files) {
    if (!file.is_code()) continue;
    if (file.is_header()) {
      const std::string code = parts_of(file.text).code;
      const std::size_t first = code.find_first_not_of(" \n");
      if (first == std::string::npos || !code.substr(first).starts_with("#pragma once\n")) {
        complaints.push_back(complaint(file, 1, "#pragma once does not come first"));
      }
      continue;
    }
    const std::string header = file.path.substr(0, file.path.size() - 3) + "h";
    const std::string layer = layer_of_file(file);
    const std::string public_header = "include/berth/" + layer + "/" + file.stem() + ".h";
    std::string own = tree.find(header) != nullptr ? header : "";
    if (own.empty() && tree.find(public_header) != nullptr) own = public_header;
    if (own.empty()) continue;
    const std::vector<Include> includes = includes_of(file);
    const bool is_first = !includes.empty() && includes.front().quoted &&
                          ("/" + own).ends_with("/" + includes.front().path);
    if (!is_first) complaints.push_back(complaint(file, 1, own + " is not included first"));
  }
  return complaints;
}

}  // namespace berth::tidy
