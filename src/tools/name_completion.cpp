#include "tools/name_completion.h"

#include <set>

#include "berth/base/dns_name.h"
#include "document/cursor.h"
#include "tools/live/api_reader.h"
#include "tools/live/live_jobs.h"

namespace berth::tools {

namespace {

constexpr std::chrono::seconds kPatience{3};

// The value of a flag on an unfinished command line.
std::string value_of(const std::vector<std::string>& words, const std::string& flag,
                     const std::string& short_flag = {}) {
  std::string value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(flag + "=")) value = words[i].substr(flag.size() + 1);
    const bool is_flag = words[i] == flag || (!short_flag.empty() && words[i] == short_flag);
    if (is_flag && i + 2 < words.size()) value = words[i + 1];
  }
  return value;
}

std::vector<std::string> names_of(const Objects& objects) {
  std::vector<std::string> names;
  for (const document::Value& object : objects.items) {
    document::Reading reading(object, "the API server", document::Strictness::lenient);
    names.push_back(reading.root()["metadata"]["name"].text());
  }
  return names;
}

std::vector<std::string> names_of(const LiveJobs& jobs) {
  std::set<std::string> names;
  for (const LiveJob& job : jobs.jobs) {
    names.insert(job.name);
    if (!job.owner.name.empty()) names.insert(job.owner.name);
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> names_for(const std::string& type, const std::vector<std::string>& words) {
  if (type != "JOB" && type != "QUEUE" && type != "NAMESPACE") return {};
  const KubeFlags flags{value_of(words, "--kubeconfig"), value_of(words, "--context"),
                        value_of(words, "--namespace", "-n")};
  if (!has_access(flags)) return {};
  const auto reader = ApiReader::open(flags, kPatience);
  if (!reader) return {};
  std::vector<std::string> names;
  if (type == "JOB") {
    names = names_of(read_jobs(**reader, (*reader)->name_space(), {}));
  } else {
    const Resource resource = type == "QUEUE"
                                  ? Resource{"scheduling.volcano.sh", "v1beta1", "queues"}
                                  : Resource{"", "v1", "namespaces"};
    names = names_of((*reader)->list(resource, ""));
  }
  // A shell takes a candidate as if it were typed. Nobody checks the names in ownerReferences, so
  // one may be a command.
  std::erase_if(names, [](const std::string& name) { return !is_dns_name(name); });
  return names;
}

}  // namespace berth::tools
