#include "kubeapi/discovery.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using PlainJson = nlohmann::json;

constexpr Duration kDeadline = std::chrono::seconds(5);  // of a request

// "jobsets", "v1alpha2" and "jobset.x-k8s.io" of their name.
struct Parts {
  std::string plural;
  std::string version;
  std::string group;
  std::string api_version() const { return group + "/" + version; }
};

Parts parts_of(const std::string& resource) {
  const std::size_t version = resource.find('.');
  const std::size_t group = resource.find('.', version + 1);
  return {resource.substr(0, version), resource.substr(version + 1, group - version - 1),
          resource.substr(group + 1)};
}

}  // namespace

Discovery::Discovery(std::vector<std::string> resources, DiscoveryOptions options,
                     std::function<void(const ServedResource&)> found)
    : missing_(std::move(resources)),
      options_(std::move(options)),
      found_(std::move(found)),
      has_looked_(missing_.empty()) {}

Step Discovery::step() { return missing_.empty() ? Step() : ask(""); }

Step Discovery::ask(std::string api_version) {
  asked_ = std::move(api_version);
  Request request;
  request.path = path();
  request.deadline = kDeadline;
  return {.request = std::move(request)};
}

std::string Discovery::path() const { return asked_.empty() ? "/apis" : "/apis/" + asked_; }

Step Discovery::answered(Response response) {
  const std::string what = asked_.empty() ? "API groups" : asked_;
  const PlainJson json = read_json(response.body);
  const bool is_read = response.ok() && json.is_object();
  if (is_read) {
    failed_.erase(what);
    asked_.empty() ? take_groups(json) : take_resources(json);
  } else {
    const std::string error = response.to_string();
    const bool is_new = std::exchange(failed_[what], error) != error;
    if (is_new && options_.complain) options_.complain(what, Error{error, path()});
  }
  if (!unasked_.empty()) {
    std::string next = std::move(unasked_.back());
    unasked_.pop_back();
    return ask(std::move(next));
  }
  const bool is_refused = !response.ok() && response.status != 0 && response.status < 500;
  if (is_read || is_refused || !asked_.empty()) has_looked_ = true;
  return missing_.empty() ? Step() : Step{.pause = options_.again};
}

void Discovery::take_groups(const PlainJson& groups) {
  std::set<std::string> served;
  for (const PlainJson& group : value_at(groups, "/groups")) {
    for (const PlainJson& version : value_at(group, "/versions")) {
      served.insert(text_at(version, "/groupVersion"));
    }
  }
  for (const std::string& resource : missing_) {
    const std::string api_version = parts_of(resource).api_version();
    const bool is_new = std::find(unasked_.begin(), unasked_.end(), api_version) == unasked_.end();
    if (is_new && served.contains(api_version)) unasked_.push_back(api_version);
  }
  std::reverse(unasked_.begin(), unasked_.end());  // of two versions, the first that is wanted
}

void Discovery::take_resources(const PlainJson& resources) {
  std::map<std::string, std::string> kinds;  // by plural
  for (const PlainJson& each : value_at(resources, "/resources")) {
    kinds[text_at(each, "/name")] = text_at(each, "/kind");
  }
  const std::vector<std::string> missing = missing_;
  for (const std::string& resource : missing) {
    const Parts parts = parts_of(resource);
    const auto kind = kinds.find(parts.plural);
    const bool is_missing = std::find(missing_.begin(), missing_.end(), resource) != missing_.end();
    if (parts.api_version() != asked_ || kind == kinds.end() || !is_missing) continue;
    // All versions of a resource have the same objects.
    std::erase_if(missing_, [&](const std::string& other) {
      const Parts others = parts_of(other);
      return others.plural == parts.plural && others.group == parts.group;
    });
    found_({resource, asked_, kind->second});
  }
}

}  // namespace berth::kubeapi
