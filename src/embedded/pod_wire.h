#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "embedded/api_server.h"

// Pods in protobuf as an API server writes them, with what a kube-scheduler beside us and the view
// read: names, versions, the node, the scheduler, gates, phase and nomination. And back.

namespace berth::embedded {

std::string pod_event(const std::string& type, std::uint64_t version, const PodObject& pod);
// The end of a streaming list.
std::string pods_bookmark(std::uint64_t version);
// Of changes as ApiServer::list() has them. `next`: the token of the next page.
std::string pod_list(std::uint64_t version, const std::vector<ApiServer::Change>& pods,
                     const std::string& next = {});

// A pod as kube-scheduler is shown it.
struct ShownPod {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string version;
  std::string node;  // that it is bound to; empty: none
  std::string scheduler;
  std::string affinity;     // the node that the view has put into it; empty: none
  std::string nominated;    // node
  bool has_marker = false;  // VIEW-19
  std::string full_name() const { return name_space + "/" + name; }
  bool is_bound() const { return !node.empty(); }
};

struct ShownEvent {
  std::string type;  // "ADDED", "BOOKMARK", "ERROR"
  ShownPod pod;      // of a bookmark: with a version alone
};

// An Error if these are no such bytes.
Result<ShownEvent> read_shown_event(std::string_view frame);
struct ShownList {
  std::string version;
  std::vector<ShownPod> pods;
};
Result<ShownList> read_shown_list(std::string_view body);

}  // namespace berth::embedded
