#include "kubeapi/live_cluster.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "document/cursor.h"
#include "kube/codecs.h"
#include "kube/group_api.h"
#include "kubeapi/discovery.h"
#include "kubeapi/group_names.h"
#include "kubeapi/machine_thread.h"
#include "kubeapi/reflector.h"
#include "kubeapi/watched_types.h"

namespace berth::kubeapi {

namespace {

Result<std::string> decode_holder(const document::Value& lease) {
  document::Reading reading(lease, "leases");
  std::string holder = reading.root()["spec"]["holderIdentity"].text();
  if (reading.failed()) return reading.error();
  return holder;
}

// A reflector on its thread.
struct Following {
  Following(RestClient& client, const Clock& clock, ReflectedKind kind,
            const ReflectorOptions& options)
      : reflector(clock, client.server(), std::move(kind), options),
        thread(client, reflector, "watch " + reflector.name()) {}

  Reflector reflector;
  MachineThread thread;
};

}  // namespace

class LiveCluster::Impl {
 public:
  Impl(RestClient& client, LiveOptions options) : client_(client), options_(std::move(options)) {
    for (const WatchedType& type : watched_types()) reflectors_.push_back(reflect(type));
    if (!options_.lease_namespace.empty()) reflectors_.push_back(reflect_lease());
    if (options_.budgets) reflectors_.push_back(reflect(budgets()));
    for (const WatchedType& type : storage_types()) {
      if (options_.volumes) reflectors_.push_back(reflect(type));
    }
    for (const WatchedType& type : selecting_types()) {
      if (options_.selecting) reflectors_.push_back(reflect(type));
    }
    std::vector<std::string> unknown;
    for (const WatchedType& type : types_if_served()) unknown.emplace_back(type.name);
    for (const std::string& owner : options_.owners) {
      if (const std::optional<ServedResource> known = always_served(owner)) {
        owners_.push_back(reflect_owner(*known));
      } else {
        unknown.push_back(owner);
      }
    }
    discovery_.emplace(std::move(unknown),
                       DiscoveryOptions{options_.discover_again, options_.reflector.complain},
                       [this](const ServedResource& served) { follow(served); });
    discovery_thread_.emplace(client_, *discovery_, "discovery");
  }
  ~Impl() { stop(); }

  Status start(ports::EventSink& sink) {
    if (sink_ != nullptr) return Error{"the cluster was started already", "LiveCluster"};
    sink_ = &sink;
    for (const auto& each : reflectors_) each->thread.start();
    for (const auto& each : owners_) each->thread.start();
    discovery_thread_->start();
    return Done{};
  }

  void stop() {
    discovery_thread_->stop();  // nobody adds owners any more
    for (const auto& each : reflectors_) each->thread.stop();
    for (const auto& each : owners_) each->thread.stop();
  }

  std::vector<std::string> unsynced() const {
    std::vector<std::string> names;
    for (const auto& each : reflectors_) {
      const Reflector& reflector = each->reflector;
      if (!reflector.is_synced() && is_awaited(reflector.name())) names.push_back(reflector.name());
    }
    if (is_late()) return names;
    if (!discovery_->has_looked()) names.emplace_back("API groups");
    const std::lock_guard lock(mutex_);
    for (const auto& each : owners_) {
      if (!each->reflector.is_synced()) names.push_back(each->reflector.name());
    }
    return names;
  }

  ports::Behind behind(Duration proved_within) const {
    ports::Behind behind;
    visit_all([&](const auto& each) {
      const Reflector& reflector = each->reflector;
      if (!reflector.is_behind(proved_within)) return;
      (reflector.is_required() ? behind.required : behind.optional).push_back(reflector.name());
    });
    return behind;
  }

  void doubt_silence(Duration proved_within) {
    visit_all([proved_within](const auto& each) {
      if (each->reflector.doubt(proved_within)) each->thread.interrupt();
    });
  }

  std::vector<std::string> missing_for_volumes() const {
    std::vector<std::string> names;
    for (const auto& each : reflectors_) {
      const Reflector& reflector = each->reflector;
      const bool is_missing = reflector.counters().lists == 0 && is_of_storage(reflector.name());
      if (is_missing && (reflector.is_synced() || is_late())) names.push_back(reflector.name());
    }
    return names;
  }

  std::vector<KindCounters> counters() const {
    std::vector<KindCounters> all;
    visit_all([&](const auto& each) {
      all.push_back({each->reflector.name(), each->reflector.counters()});
    });
    return all;
  }

 private:
  // Calls visit(each) for each that is followed. Any thread.
  template <class Visit>
  void visit_all(const Visit& visit) const {
    std::for_each(reflectors_.begin(), reflectors_.end(), visit);
    const std::lock_guard lock(mutex_);
    std::for_each(owners_.begin(), owners_.end(), visit);
  }

  // API-24, API-26. Sessions start without leases. They wait for owners, because a target that its
  // owner names would lose its nodes and a gang would be planned one by one, and for budgets. They
  // do not wait for these without limit.
  bool is_late() const { return clock_.now() - made_at_ >= kOwnersListed; }

  bool is_awaited(const std::string& name) const {
    return name == kBudgets || is_of_storage(name) ? !is_late() : name != "leases";
  }

  static bool is_of_storage(const std::string& name) {
    static const std::vector<WatchedType> kAll = storage_types();
    return std::any_of(kAll.begin(), kAll.end(),
                       [&](const auto& each) { return each.name == name; });
  }

  // Pods with claims are hints until all of them are known.
  void note_listed(StorageKind kind) {
    {
      const std::lock_guard lock(mutex_);
      listed_.insert(kind);
      if (listed_.size() < kStorageKinds || std::exchange(are_volumes_known_, true)) return;
    }
    sink_->post(StorageKnown{});
  }

  // API-27. Of every API server.
  static std::optional<ServedResource> always_served(const std::string& resource) {
    if (resource == "jobs.v1.batch") return ServedResource{resource, "batch/v1", "Job"};
    if (resource == "statefulsets.v1.apps") {
      return ServedResource{resource, "apps/v1", "StatefulSet"};
    }
    return std::nullopt;
  }

  void follow(const ServedResource& served) {
    std::unique_ptr<Following> following = following_of(served);
    following->thread.start();
    const std::lock_guard lock(mutex_);
    owners_.push_back(std::move(following));
  }

  std::unique_ptr<Following> following_of(const ServedResource& served) {
    for (const WatchedType& type : types_if_served()) {
      if (served.resource == type.name) return reflect(type, false);
    }
    return reflect_owner(served);
  }

  static bool is_required(const WatchedType& type) {
    const bool is_selecting = type.keeps == &keys_of_selecting();
    return !type.storage && !is_selecting && type.name != kBudgets && type.name != kSigGroups;
  }

  std::unique_ptr<Following> reflect(const WatchedType& type, bool may_be_required = true) {
    ReflectedKind kind;
    kind.name = type.name;
    kind.path = type.path();
    kind.required = may_be_required && is_required(type);
    kind.by_uid = type.type.kind == "Pod";
    kind.keeps = type.keeps;
    if (type.keeps == kInProtobuf) {
      kind.format = Format::protobuf;
      kind.type = type.type.kind;
    }
    if (type.type.kind == "Pod") kind.tap = options_.pods;
    kind.changed = [this, type](const document::Value& object, auto& complaint) -> Status {
      Result<ClusterEvent> event = kube::decode_live(type.type, object, type.name, complaint);
      if (!event) return event.error();
      if (auto* const group = std::get_if<PodGroupObject>(&*event)) {
        groups_.changed(std::move(*group));
      } else {
        sink_->post(std::move(event).value());
      }
      return Done{};
    };
    if (type.storage) {
      kind.listed = [this, which = *type.storage] { note_listed(which); };
    }
    kind.gone = [this, type](const std::string& id) {
      if (type.type.kind == "PodGroup")
        return groups_.gone(kube::group_api(type.type.api_version), id);
      sink_->post(type.deletion(id));
    };
    return std::make_unique<Following>(client_, clock_, std::move(kind), options_.reflector);
  }

  std::unique_ptr<Following> reflect_lease() {
    ReflectedKind kind;
    kind.name = "leases";
    kind.path = "/apis/coordination.k8s.io/v1/namespaces/" + url_encoded(options_.lease_namespace) +
                "/leases";
    kind.query = "fieldSelector=" + url_encoded("metadata.name=" + options_.lease_name);
    kind.required = false;
    kind.keeps = &keys_of_others();
    kind.changed = [this](const document::Value& lease, auto&) -> Status {
      const Result<std::string> holder = decode_holder(lease);
      if (!holder) return holder.error();
      report_holder(*holder);
      return Done{};
    };
    kind.gone = [this](const std::string&) { report_holder(""); };
    return std::make_unique<Following>(client_, clock_, std::move(kind), options_.reflector);
  }

  // API-18: a lease is renewed every two seconds; only a new holder is reported.
  void report_holder(const std::string& holder) {
    if (holder_ == holder) return;
    holder_ = holder;
    if (options_.scheduler_leads) options_.scheduler_leads(holder);
  }

  // API-24. An owner's status changes with each of its pods. Only a change of what is read of it is
  // reported.
  std::unique_ptr<Following> reflect_owner(const ServedResource& served) {
    ReflectedKind kind;
    const std::string& resource = served.resource;
    kind.name = resource;
    kind.path = resource_path(served.api_version, resource.substr(0, resource.find('.')));
    kind.required = false;
    kind.by_uid = true;
    kind.keeps = &keys_of_owners();
    // On the reflector's thread.
    const auto known = std::make_shared<std::map<std::string, OwnerObject>>();
    const kube::TypeName type{served.kind, served.api_version};
    kind.changed = [this, known, resource, type](const document::Value& object, auto&) -> Status {
      Result<OwnerObject> owner = kube::decode_owner(object, resource, type);
      if (!owner) return owner.error();
      OwnerObject& before = (*known)[owner->uid];
      if (before == *owner) return Done{};
      before = *owner;
      sink_->post(*std::move(owner));
      return Done{};
    };
    kind.gone = [this, known](const std::string& uid) {
      if (known->erase(uid) > 0) sink_->post(OwnerDeleted{uid});
    };
    return std::make_unique<Following>(client_, clock_, std::move(kind), options_.reflector);
  }

  static constexpr std::chrono::seconds kOwnersListed{10};

  RestClient& client_;
  const LiveOptions options_;
  const SteadyClock clock_;
  const TimePoint made_at_ = clock_.now();
  ports::EventSink* sink_ = nullptr;
  GroupNames groups_{[this](ClusterEvent event) { sink_->post(std::move(event)); }};
  std::optional<std::string> holder_;  // as last reported; on the thread of its reflector
  std::vector<std::unique_ptr<Following>> reflectors_;
  mutable std::mutex mutex_;  // guards owners_ after the start, and what is known of volumes
  std::set<StorageKind> listed_;
  bool are_volumes_known_ = false;
  std::vector<std::unique_ptr<Following>> owners_;  // theirs, and of kinds that may be served
  std::optional<Discovery> discovery_;
  std::optional<MachineThread> discovery_thread_;
};

LiveCluster::LiveCluster(RestClient& client, LiveOptions options)
    : impl_(std::make_unique<Impl>(client, std::move(options))) {}

LiveCluster::~LiveCluster() = default;

Status LiveCluster::start(ports::EventSink& sink) { return impl_->start(sink); }

bool LiveCluster::is_synced() const { return impl_->unsynced().empty(); }
ports::Behind LiveCluster::behind(Duration proved_within) const {
  return impl_->behind(proved_within);
}

void LiveCluster::doubt_silence(Duration proved_within) { impl_->doubt_silence(proved_within); }

void LiveCluster::stop() { impl_->stop(); }

std::vector<std::string> LiveCluster::unsynced() const { return impl_->unsynced(); }

std::vector<KindCounters> LiveCluster::counters() const { return impl_->counters(); }

std::vector<std::string> LiveCluster::missing_for_volumes() const {
  return impl_->missing_for_volumes();
}

}  // namespace berth::kubeapi
