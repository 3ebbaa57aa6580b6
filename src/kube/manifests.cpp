#include "kube/manifests.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <tuple>
#include <utility>

#include "document/readers.h"
#include "kube/codecs.h"
#include "kube/files.h"

namespace berth::kube {

namespace {

constexpr std::size_t kObjectsPerReport = 1'000;

// The identity of an object, which also orders the result.
struct Identity {
  std::string_view kind;
  std::string_view name_space;
  std::string_view name;
  auto operator<=>(const Identity&) const = default;
};

struct Identify {
  Identity operator()(const NodeObject& object) const { return {"Node", "", object.name}; }
  Identity operator()(const PodObject& object) const {
    return {"Pod", object.name_space, object.name};
  }
  Identity operator()(const PodGroupObject& object) const {
    return {"PodGroup", object.name_space, object.name};
  }
  Identity operator()(const QueueObject& object) const { return {"Queue", "", object.name}; }
  Identity operator()(const PriorityClassObject& object) const {
    return {"PriorityClass", "", object.name};
  }
  Identity operator()(const NamespaceObject& object) const {
    return {"Namespace", "", object.name};
  }
  Identity operator()(const BudgetObject& object) const {
    return {"PodDisruptionBudget", object.name_space, object.name};
  }
  Identity operator()(const OwnerObject& object) const { return {"owner", "", object.uid}; }
  template <class Other>
  Identity operator()(const Other&) const {
    return {};  // manifests contain no deletions
  }
};

struct Found {
  ClusterEvent event;
  std::size_t file = 0;
  document::Position position;
};

// True if the resource "jobs.v1.batch" is this type, Job of group batch.
bool is_of_resource(const TypeName& type, std::string_view resource) {
  const std::size_t version = resource.find('.');
  const std::size_t group =
      version == std::string_view::npos ? version : resource.find('.', version + 1);
  if (group == std::string_view::npos) return false;
  if (resource.substr(group + 1) != type.group()) return false;
  std::string kind;
  for (const char c : type.kind)
    kind += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string_view plural = resource.substr(0, version);
  const std::string stem = kind.substr(0, kind.size() - 1);
  return plural == kind + "s" || plural == kind + "es" || plural == stem + "ies";
}

class Loader {
 public:
  Loader(const ProgressCallback& progress, const std::vector<std::string>& owners)
      : progress_(progress), owners_(owners) {}

  void expect_files(std::size_t count) { state_.files = count; }

  Status read(std::string text, std::string file) {
    files_.push_back(std::move(file));
    const std::string& name = files_.back();
    const document::DocumentSink sink =
        [this](document::Value value, const document::ListHead& list) { return add(value, list); };
    const Status status = is_json(text, name) ? document::read_json(std::move(text), name, sink)
                                              : document::read_yaml(text, name, sink);
    if (!status) return status;
    ++state_.files_done;
    report();
    return Done{};
  }

  Result<Manifests> finish() {
    std::vector<std::pair<Identity, std::size_t>> order;
    order.reserve(found_.size());
    for (std::size_t i = 0; i < found_.size(); ++i) {
      order.emplace_back(std::visit(Identify(), found_[i].event), i);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 1; i < order.size(); ++i) {
      const auto& [identity, at] = order[i];
      if (identity == order[i - 1].first) {
        return twice(identity, found_[order[i - 1].second], found_[at]);
      }
    }
    manifests_.events.reserve(found_.size());
    for (const auto& [identity, at] : order) {
      manifests_.events.push_back(std::move(found_[at].event));
    }
    return std::move(manifests_);
  }

 private:
  static bool is_json(const std::string& text, const std::string& file) {
    if (file.ends_with(".json")) return true;
    if (file.ends_with(".yaml") || file.ends_with(".yml")) return false;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
  }

  // The items of a typed list (PodList) may omit their kind.
  Status add(const document::Value& value, const document::ListHead& list) {
    document::Reading reading(value, files_.back());
    const document::Cursor root = reading.root();
    const bool is_typed_list = list.kind.size() > 4;
    TypeName type;
    type.kind = root["kind"].text(
        is_typed_list ? std::string_view(list.kind).substr(0, list.kind.size() - 4) : "");
    type.api_version = root["apiVersion"].text(is_typed_list ? list.api_version : "");
    if (type.kind.empty()) root.complain("`kind` is missing, expected one such as \"Pod\"");
    if (type.api_version.empty()) {
      root.complain("`apiVersion` is missing, expected one such as \"v1\"");
    }
    if (reading.failed()) return reading.error();
    if (type.kind.ends_with("List")) return add_items(value, type);
    // Without a uid, no object can refer to it as its owner.
    const bool is_owner = root["metadata"]["uid"].is_present() &&
                          std::any_of(owners_.begin(), owners_.end(), [&](const auto& resource) {
                            return is_of_resource(type, resource);
                          });
    if (!is_known(type) && !is_owner) {
      ++manifests_.ignored[type.to_string()];
      return Done{};
    }
    Result<ClusterEvent> event = is_owner ? as_event(decode_owner(value, files_.back()))
                                          : decode(type, value, files_.back());
    if (!event) return event.error();
    found_.push_back({std::move(event).value(), files_.size() - 1, value.position});
    if (++state_.objects % kObjectsPerReport == 0) report();
    return Done{};
  }

  static Result<ClusterEvent> as_event(Result<OwnerObject> owner) {
    if (!owner) return owner.error();
    return ClusterEvent(std::move(owner).value());
  }

  Status add_items(const document::Value& value, const TypeName& type) {
    document::Reading reading(value, files_.back());
    for (const document::Cursor& item : reading.root()["items"].items()) {
      const Status status = add(*item.value(), {type.kind, type.api_version});
      if (!status) return status;
    }
    if (reading.failed()) return reading.error();
    return Done{};
  }

  Error twice(const Identity& identity, const Found& first, const Found& second) const {
    std::string name(identity.name);
    if (!identity.name_space.empty()) name = std::string(identity.name_space) + "/" + name;
    return {std::string(identity.kind) + " \"" + name + "\" is also at " + place_of(first) +
                ", expected it once",
            place_of(second)};
  }

  std::string place_of(const Found& found) const {
    return document::place(files_[found.file], found.position);
  }

  void report() const {
    if (progress_) progress_(state_);
  }

  const ProgressCallback& progress_;
  const std::vector<std::string>& owners_;
  LoadProgress state_;
  std::vector<std::string> files_;
  std::vector<Found> found_;
  Manifests manifests_;
};

}  // namespace

std::vector<std::string> jobs_alone() { return {"jobs.v1.batch"}; }

Result<Manifests> load_manifests(const std::vector<std::filesystem::path>& paths,
                                 const ProgressCallback& progress,
                                 const std::vector<std::string>& owners) {
  const Result<std::vector<std::filesystem::path>> files = find_manifest_files(paths);
  if (!files) return files.error();
  Loader loader(progress, owners);
  loader.expect_files(files->size());
  for (const std::filesystem::path& file : *files) {
    Result<std::string> text = read_file(file);
    if (!text) return text.error();
    if (const Status status = loader.read(std::move(text).value(), file.string()); !status) {
      return status.error();
    }
  }
  return loader.finish();
}

Result<Manifests> parse_manifests(const std::string& text, const std::string& file) {
  const ProgressCallback silent;
  const std::vector<std::string> owners = jobs_alone();
  Loader loader(silent, owners);
  loader.expect_files(1);
  if (const Status status = loader.read(text, file); !status) return status.error();
  return loader.finish();
}

}  // namespace berth::kube
