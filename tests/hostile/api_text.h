#pragma once

#include <functional>
#include <string>
#include <vector>

// JSON of API objects, as an API server sends them.

namespace berth::hostile {

inline std::string quoted(const std::string& text) { return "\"" + text + "\""; }
inline std::string member(const std::string& key, const std::string& value) {
  return quoted(key) + ":" + value;
}
inline std::string text(const std::string& key, const std::string& value) {
  return member(key, quoted(value));
}
// "[item(0),item(1),...]" and "{member(0),...}"
std::string list(std::size_t count, const std::function<std::string(std::size_t)>& item);
std::string map(std::size_t count, const std::function<std::string(std::size_t)>& entry);

struct Metadata {
  std::string name;
  std::string labels = "{}";
  std::string annotations = "{}";
  std::string more = {};  // ',"finalizers":[]'
  std::string name_space = "evil";
};
// Its uid goes by its kind and name.
std::string object(const std::string& kind, const std::string& api_version,
                   const Metadata& metadata, const std::string& rest);

struct Pod {
  Metadata metadata;
  std::string spec = {};  // '"tolerations":[]', ...
  std::string containers = {};
  std::string scheduler = "berth";
  std::string node = {};  // it runs there
  std::string cpu = "100m";
};
std::string pod(const Pod& pod);
std::string group(const Metadata& metadata, const std::string& spec);

}  // namespace berth::hostile
