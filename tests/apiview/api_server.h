#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "podview/samples.h"

namespace berth::apiview::testing {

// Pods, and all that happened to them.
struct ApiServer {
  using Sample = podview::testing::Sample;

  struct Change {
    std::uint64_t version = 0;
    std::string type;
    Sample pod;
    std::string selected;  // its type to a client that selects pods that have not ended, if any
  };

  void make(const std::string& name, const std::string& scheduler, const std::string& node) {
    Sample& pod = pods[name];
    pod = {.name = name, .version = next(), .node = node, .scheduler = scheduler};
    pod.uid = name + "-" + pod.version;
    note("ADDED", pod);
  }
  void bind(Sample& pod, const std::string& node) {
    pod.version = next();
    pod.node = node;
    note("MODIFIED", pod);
  }
  void change(const std::string& name) {
    const auto pod = pods.find(name);
    if (pod == pods.end()) return;
    pod->second.version = next();
    note("MODIFIED", pod->second);
  }
  void finish(const std::string& name) {
    const auto pod = pods.find(name);
    if (pod == pods.end() || has_ended(pod->second)) return;
    pod->second.version = next();
    pod->second.phase = "Succeeded";
    note("MODIFIED", pod->second, "DELETED");
  }
  void remove(const std::string& name) {
    const auto found = pods.find(name);
    if (found == pods.end()) return;
    Sample pod = found->second;
    pods.erase(found);
    pod.version = next();
    note("DELETED", pod);
  }
  // Those that have not ended.
  std::vector<Sample> running() const {
    std::vector<Sample> out;
    for (const auto& [name, pod] : pods) {
      if (!has_ended(pod)) out.push_back(pod);
    }
    return out;
  }
  static bool has_ended(const Sample& pod) { return pod.phase == "Succeeded"; }

  std::uint64_t version = 100;
  std::uint64_t oldest = 100;  // a watch can go on from here
  std::map<std::string, Sample> pods;
  std::vector<Change> changes;

 private:
  std::string next() { return std::to_string(++version); }
  void note(const std::string& type, const Sample& pod) {
    note(type, pod, has_ended(pod) ? "" : type);
  }
  void note(const std::string& type, const Sample& pod, const std::string& selected) {
    changes.push_back({version, type, pod, selected});
  }
};

}  // namespace berth::apiview::testing
