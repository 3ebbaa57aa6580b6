#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"

namespace berth::kube {

// What was found in files: a cluster, as the events that make it.
struct Manifests {
  std::vector<ClusterEvent> events;            // sorted by (kind, namespace, name)
  std::map<std::string, std::size_t> ignored;  // objects of kinds we do not read, by kind
};

struct LoadProgress {
  std::size_t files_done = 0;
  std::size_t files = 0;
  std::size_t objects = 0;
};

using ProgressCallback = std::function<void(const LoadProgress&)>;

// The resources whose objects may name targets where nobody configured others: "jobs.v1.batch".
std::vector<std::string> jobs_alone();

// Reads files, and directories recursively (*.yaml, *.yml, *.json in order of name). Lists are
// taken apart. Nothing half done: the first error, with file:line:column, is the result. Two
// objects of one kind, namespace and name are an error that names both places. `progress`, if any,
// is called after every file and every 1,000 objects. `owners`: resources, RESOURCE.VERSION.GROUP,
// whose objects are read as owners where they have a uid.
Result<Manifests> load_manifests(const std::vector<std::filesystem::path>& paths,
                                 const ProgressCallback& progress = {},
                                 const std::vector<std::string>& owners = jobs_alone());

// The same from text; `file` names it in errors, and its extension (.json or not) tells the format.
Result<Manifests> parse_manifests(const std::string& text, const std::string& file);

}  // namespace berth::kube
