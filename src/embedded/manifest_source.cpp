#include "embedded/manifest_source.h"

#include <filesystem>
#include <map>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>

#include "embedded/path_watch.h"
#include "kube/manifests.h"

namespace berth::embedded {
namespace {

// A file whose writer pauses longer than this is read incomplete, and then again.
constexpr std::chrono::milliseconds kQuiet{100};

using Key = std::pair<std::size_t, std::string>;  // kind and full name
using Objects = std::map<Key, ClusterEvent>;

template <class Object>
std::string name_of(const Object& object) {
  if constexpr (std::is_same_v<Object, StorageObject>) {
    return std::string(to_string(object.kind())) + " " + object.full_name();
  } else if constexpr (std::is_same_v<Object, SelectingObject>) {
    return std::string(to_string(object.kind)) + " " + object.full_name();
  } else if constexpr (requires { object.full_name(); }) {
    return object.full_name();
  } else if constexpr (requires { object.name; }) {
    return object.name;
  } else if constexpr (std::is_same_v<Object, OwnerObject>) {
    return object.uid;
  } else {
    return {};  // not an object
  }
}

Objects by_key(std::vector<ClusterEvent> events) {
  Objects objects;
  for (ClusterEvent& event : events) {
    Key key{event.index(), std::visit([](const auto& object) { return name_of(object); }, event)};
    objects.emplace(std::move(key), std::move(event));
  }
  return objects;
}

bool is_same(const ClusterEvent& left, const ClusterEvent& right) {
  return std::visit(
      [&](const auto& object) {
        using Object = std::decay_t<decltype(object)>;
        const auto* const other = std::get_if<Object>(&right);
        if constexpr (requires { object == object; }) {
          return other != nullptr && object == *other;
        } else {
          return false;
        }
      },
      left);
}

struct Deletion {
  ClusterEvent operator()(const NodeObject& node) const { return NodeDeleted{node.name}; }
  ClusterEvent operator()(const PodObject& pod) const { return PodDeleted{pod.uid}; }
  ClusterEvent operator()(const PodGroupObject& group) const {
    return PodGroupDeleted{group.full_name()};
  }
  ClusterEvent operator()(const QueueObject& queue) const { return QueueDeleted{queue.name}; }
  ClusterEvent operator()(const PriorityClassObject& priority_class) const {
    return PriorityClassDeleted{priority_class.name};
  }
  ClusterEvent operator()(const NamespaceObject& name_space) const {
    return NamespaceDeleted{name_space.name};
  }
  ClusterEvent operator()(const BudgetObject& budget) const {
    return BudgetDeleted{budget.full_name()};
  }
  ClusterEvent operator()(const StorageObject& storage) const {
    return StorageDeleted{storage.kind(), storage.full_name()};
  }
  ClusterEvent operator()(const SelectingObject& object) const {
    return SelectingDeleted{object.kind, object.full_name()};
  }
  ClusterEvent operator()(const OwnerObject& owner) const { return OwnerDeleted{owner.uid}; }
  template <class Other>
  ClusterEvent operator()(const Other& other) const {
    return other;  // manifests do not create these
  }
};

// The events that change `then` into `now`.
std::vector<ClusterEvent> difference(const Objects& then, const Objects& now) {
  std::vector<ClusterEvent> changes;
  for (const auto& [key, event] : then) {
    if (!now.contains(key)) changes.push_back(std::visit(Deletion{}, event));
  }
  for (const auto& [key, event] : now) {
    const auto old = then.find(key);
    if (old == then.end() || !is_same(old->second, event)) changes.push_back(event);
  }
  return changes;
}

}  // namespace

class ManifestSource::Impl {
 public:
  Impl(std::vector<std::string> paths, EmbeddedCluster& cluster, Complaint complain, Note note)
      : paths_(paths.begin(), paths.end()),
        cluster_(cluster),
        complain_(std::move(complain)),
        note_(std::move(note)),
        watch_(std::move(paths)) {}

  ~Impl() {
    if (!thread_.joinable()) return;
    watch_.stop();
    thread_.join();
  }

  Status open() {
    if (const Status opened = watch_.open(); !opened) return opened;
    if (const Status read = read_again(); !read) return read;
    thread_ = std::thread([this] { follow(); });
    return Done{};
  }

 private:
  Status read_again() {
    auto manifests = kube::load_manifests(paths_);
    if (!manifests) return manifests.error();
    Objects now = by_key(std::move(manifests->events));
    if (auto changes = difference(objects_, now); !changes.empty()) {
      cluster_.apply(std::move(changes));
    }
    objects_ = std::move(now);
    for (const std::string& warning : manifests->warnings) report(warning);
    for (const kube::Made& made : manifests->made) report(made.to_string());
    return Done{};
  }

  void report(const std::string& text) {
    if (reported_.insert(text).second && note_) note_(text);
  }

  void follow() {
    std::string last_complaint;
    while (watch_.wait(kQuiet)) {
      Status read = watch_.refresh();
      if (read) read = read_again();
      const std::string complaint = read ? std::string() : read.error().to_string();
      if (!read && complaint != last_complaint && complain_) complain_(read.error());
      last_complaint = complaint;
    }
  }

  const std::vector<std::filesystem::path> paths_;
  EmbeddedCluster& cluster_;
  const Complaint complain_;
  const Note note_;
  PathWatch watch_;
  std::set<std::string> reported_;
  Objects objects_;  // as of the last read
  std::thread thread_;
};

Result<std::unique_ptr<ManifestSource>> ManifestSource::open(std::vector<std::string> paths,
                                                             EmbeddedCluster& cluster,
                                                             Complaint complain, Note note) {
  auto impl =
      std::make_unique<Impl>(std::move(paths), cluster, std::move(complain), std::move(note));
  if (const Status opened = impl->open(); !opened) return opened.error();
  return std::unique_ptr<ManifestSource>(new ManifestSource(std::move(impl)));
}

ManifestSource::ManifestSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ManifestSource::~ManifestSource() = default;

}  // namespace berth::embedded
