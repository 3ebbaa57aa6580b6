#include "kube/manifests.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "document/readers.h"
#include "kube/children.h"
#include "kube/codecs.h"
#include "kube/files.h"
#include "kube/known_fields.h"

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
  Identity operator()(const StorageObject& object) const {
    const auto identify = [&object](const auto& each) -> Identity {
      if constexpr (requires { each.name_space; }) {
        return {to_string(object.kind()), each.name_space, each.name};
      } else {
        return {to_string(object.kind()), "", each.name};
      }
    };
    return std::visit(identify, object.object);
  }
  Identity operator()(const SelectingObject& object) const {
    return {to_string(object.kind), object.name_space, object.name};
  }
  Identity operator()(const TopologyObject& object) const {
    return {to_string(object.kind()), "", object.name()};
  }
  Identity operator()(const CompositeGroupObject& object) const {
    return {"CompositePodGroup", object.group.name_space, object.group.name};
  }
  Identity operator()(const DeviceClassObject& object) const {
    return {"DeviceClass", "", object.name};
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

class Loader {
 public:
  Loader(const ProgressCallback& progress, const std::vector<std::string>& owners)
      : progress_(progress), owners_(owners) {}

  void expect_files(std::size_t count) { state_.files = count; }

  Status read(std::string text, std::string file) {
    files_.push_back(std::move(file));
    const std::string& name = files_.back();
    const document::DocumentSink sink = [this](document::Value value,
                                               const document::ListHead& list) {
      return add(std::move(value), list);
    };
    const Status status = is_json(text, name) ? document::read_json(std::move(text), name, sink)
                                              : document::read_yaml(text, name, sink);
    if (!status) return status;
    ++state_.files_done;
    report();
    return Done{};
  }

  Result<Manifests> finish() {
    if (const Status status = make_children_of_all(); !status) return status.error();
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
    manifests_.events.reserve(found_.size() + 1);
    if (has_claims()) manifests_.events.emplace_back(StorageKnown{});
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
  Status add(document::Value value, const document::ListHead& list) {
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
    // An object that the API server has stored has a uid, and no unknown fields.
    const bool is_written = !root["metadata"]["uid"].is_present();
    const bool is_pod = type.kind == "Pod" && type.group().empty();
    if (is_pod && is_written) check_fields(type.kind, root, reading, manifests_.warnings);
    if (reading.failed()) return reading.error();
    const bool is_parent = makes_children(type);
    if (is_parent || is_pod) offspring_.see(type, value);
    if (!is_parent) return take(type, value, files_.size() - 1);
    const Status kept = offspring_.keep(type, value, files_.back());
    return kept ? take(type, value, files_.size() - 1) : kept;
  }

  // Decodes one object. Without a uid, no object can refer to it as its owner.
  Status take(const TypeName& type, const document::Value& value, std::size_t file) {
    document::Reading reading(value, files_[file]);
    const bool is_owner = reading.root()["metadata"]["uid"].is_present() &&
                          std::any_of(owners_.begin(), owners_.end(), [&](const auto& resource) {
                            return is_of_resource(type.kind, type.group(), resource);
                          });
    if (!is_known(type) && !is_owner) {
      if (!makes_children(type)) ++manifests_.ignored[type.to_string()];
      return Done{};
    }
    // A StatefulSet is both.
    if (is_owner && is_known(type)) {
      if (const Status selecting = add(decode(type, value, files_[file]), file, value);
          !selecting) {
        return selecting;
      }
    }
    Result<ClusterEvent> event = is_owner ? as_event(decode_owner(value, files_[file], type))
                                          : decode(type, value, files_[file]);
    const bool is_stored = reading.root()["metadata"]["uid"].is_present();
    const bool may_mean_nothing = type.kind == "Pod" || type.kind == "PersistentVolume";
    if (!event && is_stored && may_mean_nothing) event = take_stored(type, value, file, event);
    if (const Status added = add(std::move(event), file, value); !added) return added;
    if (++state_.objects % kObjectsPerReport == 0) report();
    return Done{};
  }

  Status add(Result<ClusterEvent> event, std::size_t file, const document::Value& value) {
    if (!event) return event.error();
    found_.push_back({std::move(event).value(), file, value.position});
    return Done{};
  }

  static bool has_fault(const ClusterEvent& event) {
    if (const auto* const pod = std::get_if<PodObject>(&event)) {
      return !pod->constraints.fault.empty();
    }
    return !std::get<VolumeObject>(std::get<StorageObject>(event).object).fault.empty();
  }

  // The API server stores pods and volumes with values that mean nothing, such as `Gt` with a word.
  // Berth plans them, so they are no reason to refuse a dump.
  Result<ClusterEvent> take_stored(const TypeName& type, const document::Value& value,
                                   std::size_t file, const Result<ClusterEvent>& refused) {
    Complaint complaint;
    Result<ClusterEvent> event = decode_live(type, value, files_[file], complaint);
    if (!event || has_fault(*event)) return refused;
    if (complaint) manifests_.warnings.push_back(complaint->to_string());
    return event;
  }

  // A pod of that name that is there already stays as it is.
  Status make_children_of_all() {
    std::set<std::string> pods;
    for (const Found& found : found_) {
      const auto* const pod = std::get_if<PodObject>(&found.event);
      if (pod != nullptr) pods.insert(pod->full_name());
    }
    const auto sink = [&](const TypeName& type, const document::Value& child,
                          const std::string& name) {
      const auto file = std::find(files_.begin(), files_.end(), name) - files_.begin();
      const Status taken = take(type, child, static_cast<std::size_t>(file));
      if (!taken || type.kind != "Pod") return taken;
      const auto* const pod = std::get_if<PodObject>(&found_.back().event);
      if (pod != nullptr && pods.contains(pod->full_name())) found_.pop_back();
      return taken;
    };
    return offspring_.make(sink, manifests_.made, manifests_.warnings);
  }

  static Result<ClusterEvent> as_event(Result<OwnerObject> owner) {
    if (!owner) return owner.error();
    return ClusterEvent(std::move(owner).value());
  }

  Status add_items(document::Value& value, const TypeName& type) {
    document::Reading reading(value, files_.back());
    reading.root()["items"].items();  // complains about what is no list
    if (reading.failed()) return reading.error();
    for (document::Member& member : value.members) {
      if (member.key != "items") continue;
      for (document::Value& item : member.value.items) {
        const Status status = add(std::move(item), {type.kind, type.api_version});
        if (!status) return status;
      }
    }
    return Done{};
  }

  // Files without any claim were made without regard to volumes: pods with claims are then hints.
  bool has_claims() const {
    return std::any_of(found_.begin(), found_.end(), [](const Found& found) {
      const auto* const storage = std::get_if<StorageObject>(&found.event);
      return storage != nullptr && storage->kind() == StorageKind::claim;
    });
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
  Offspring offspring_;
  Manifests manifests_;
};

}  // namespace

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
  const std::vector<std::string> owners = default_owner_resources();
  Loader loader(silent, owners);
  loader.expect_files(1);
  if (const Status status = loader.read(text, file); !status) return status.error();
  return loader.finish();
}

}  // namespace berth::kube
