#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "berth/model/owner.h"
#include "kube/offspring.h"

namespace berth::kube {

// A cluster read from files, as the events that create it.
struct Manifests {
  std::vector<ClusterEvent> events;            // sorted by (kind, namespace, name)
  std::map<std::string, std::size_t> ignored;  // objects of unknown kinds, counted by kind
  std::vector<Made> made;                      // objects without pods, and what was made for them
  std::vector<std::string> warnings;           // fields that no Kubernetes knows, with their places
};

struct LoadProgress {
  std::size_t files_done = 0;
  std::size_t files = 0;
  std::size_t objects = 0;
};

using ProgressCallback = std::function<void(const LoadProgress&)>;

// Reads files, and directories recursively (YAML and JSON files in order of name). Lists are taken
// apart. The first error is the result, with file:line:column. Two objects of one kind, namespace
// and name are an error that names both places. An object that makes pods (children.h) and has none
// in the files gets those that its controller would make. `progress` is called after every file and
// every 1,000 objects. Objects of the resources in `owners` (RESOURCE.VERSION.GROUP) are read as
// owners if they have a uid or make pods.
Result<Manifests> load_manifests(
    const std::vector<std::filesystem::path>& paths, const ProgressCallback& progress = {},
    const std::vector<std::string>& owners = default_owner_resources());

// The same from text. `file` names it in errors; its extension (.json or not) selects the format.
Result<Manifests> parse_manifests(const std::string& text, const std::string& file);

}  // namespace berth::kube
