#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/model/owner.h"
#include "berth/model/relations.h"
#include "berth/model/usage.h"
#include "engine/configuration.h"

// The configuration file (DESIGN D8, docs/configuration.md) as a value.

namespace berth::conf {

struct TlsSettings {
  std::string cert_file;
  std::string key_file;
  std::string client_ca_file;  // empty: clients need no certificate
  bool operator==(const TlsSettings&) const = default;
};

struct ExtenderSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8890;
  std::optional<TlsSettings> tls;
  std::size_t max_body_bytes = std::size_t{64} << 20;
  std::size_t max_connections = 16'384;
  Duration idle_timeout = std::chrono::seconds(120);   // above kube-scheduler's 90 s
  Duration request_timeout = std::chrono::seconds(5);  // to receive one request
  bool operator==(const ExtenderSettings&) const = default;
};

// A server of its own for metrics, probes and pages for people.
struct PagesSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8892;
  std::optional<TlsSettings> tls;  // with an authority, probes alone need no certificate
  std::vector<std::string> hosts;  // further names in requests, in lower case (PAGE-15)
  bool operator==(const PagesSettings&) const = default;
};

// The settings of the gang barrier in bind (DESIGN D6).
struct BarrierSettings {
  Duration timeout = std::chrono::seconds(10);      // without a new member
  Duration max_timeout = std::chrono::seconds(25);  // of one call; less than httpTimeout
  bool operator==(const BarrierSettings&) const = default;
};

// How kube-scheduler carries plans out (docs/design/steering.md).
struct SteeringSettings {
  std::string mode = "nominate";  // or view
  Duration veto_memory = std::chrono::minutes(1);
  Duration retry_limit = std::chrono::minutes(1);
  bool operator==(const SteeringSettings&) const = default;
};

struct AccountName {
  std::string name_space;  // empty: that of the Lease
  std::string name;        // empty: there is none
  bool operator==(const AccountName&) const = default;
};

// Where kube-scheduler reads the cluster (docs/design/view.md).
struct ViewSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8891;                        // 0: any free one
  std::string directory = "/run/berth";             // of view.key and view.crt
  AccountName account{"", "berth-kube-scheduler"};  // of kube-scheduler; none: its own token counts
  bool autoscaling = true;                          // docs/design/autoscaling.md
  std::int32_t scheduled_events = 16;               // of each job (VIEW-20)
  bool operator==(const ViewSettings&) const = default;
};

// Which pods without a PodGroup are one job (docs/design/gangs-of-owners.md).
struct JobsSettings {
  GangRule gang = GangRule::annotated;
  std::vector<std::string> owners = default_owner_resources();  // RESOURCE.VERSION.GROUP
  bool operator==(const JobsSettings&) const = default;
};

// Which constraints are planned for (docs/design/constraints.md).
struct ConstraintsSettings {
  bool volumes = true;  // claims and volumes are listed
  // kube-scheduler's defaults that refuse, without selectors; then what selects pods is listed.
  std::vector<SpreadConstraint> default_spreads;
  bool operator==(const ConstraintsSettings&) const = default;
};

// Which nodes are near each other (docs/design/topology.md).
struct TopologySettings {
  std::vector<std::string> levels;  // labels of nodes, the outermost first
  bool operator==(const TopologySettings&) const = default;
};

// How nodes locked for a target are kept (docs/design/reservation.md).
struct ReservationSettings {
  std::string enforce = "filter";      // taint
  std::string authorization = "auto";  // policy, review, none
  bool operator==(const ReservationSettings&) const = default;
};

// The words of users that count only with a right (docs/design/permissions.md): none, review.
struct PermissionsSettings {
  std::string group_class = "review";
  std::string protection = "none";
  bool operator==(const PermissionsSettings&) const = default;
};

// The Lease that elects the leading berthd; names and defaults are those of Kubernetes.
struct LeaderElectionSettings {
  bool enabled = true;
  std::string name_space;  // empty: the pod's own, or that of the kubeconfig's context
  std::string name = "berthd";
  Duration lease_duration = std::chrono::seconds(9);  // > renew_deadline > retry_period
  Duration renew_deadline = std::chrono::seconds(6);
  Duration retry_period = std::chrono::seconds(2);
  bool operator==(const LeaderElectionSettings&) const = default;
};

struct KubeApiSettings {
  double qps = 500;  // requests a second on average
  int burst = 1000;  // at once, after a pause
  int max_in_flight = 64;
  std::string scheduler_lease_namespace = "kube-system";
  std::string scheduler_lease_name = "kube-scheduler";
  bool operator==(const KubeApiSettings&) const = default;
};

// Where the past of the cluster is recorded (docs/design/history.md).
struct HistorySettings {
  std::string directory;  // empty: nowhere
  std::uint64_t bytes = std::uint64_t{256} << 20;
  bool operator==(const HistorySettings&) const = default;
};

struct ForecastSettings {
  Duration period = std::chrono::seconds(10);  // 0: starts are not forecast
  bool operator==(const ForecastSettings&) const = default;
};

// The page that shows the cluster (docs/page.md).
struct PageSettings {
  bool enabled = true;
  bool operator==(const PageSettings&) const = default;
};

// How fast use is forgotten (docs/design/fairshare.md).
struct FairShareSettings {
  Duration half_life = kUsageHalfLife;
  bool operator==(const FairShareSettings&) const = default;
};

struct Config {
  engine::SessionConfig session;
  std::vector<std::string> scheduler_names{"berth"};  // spec.schedulerName of pods we decide for
  Duration schedule_period = std::chrono::seconds(1);
  std::string default_queue = "default";
  bool default_queue_is_fifo = false;
  ExtenderSettings extender;
  std::optional<PagesSettings> pages;  // none: they are on the extender's port
  BarrierSettings barrier;
  SteeringSettings steering;
  ViewSettings view;
  JobsSettings jobs;
  ConstraintsSettings constraints;
  TopologySettings topology;
  ReservationSettings reservation;
  PermissionsSettings permissions;
  LeaderElectionSettings leader_election;
  KubeApiSettings kube_api;
  HistorySettings history;
  ForecastSettings forecast;
  FairShareSettings fair_share;
  PageSettings page;
  std::vector<std::string> warnings;  // settings that are accepted but hardly wanted; with places
  std::string text;                   // the text that it was read from
};

// The names that a configuration may use. Sorted.
struct KnownNames {
  std::vector<std::string> actions;
  std::vector<std::string> plugins;
  std::vector<std::string> points;
};

// Strict: refuses unknown keys, actions, plugins, points and flags, and a file without content. The
// plugins and actions check their own arguments later.
Result<Config> load_config(std::string_view text, std::string_view file, const KnownNames& known);

// The table of all keys as Markdown; docs/configuration.md contains it.
std::string render_key_table();

}  // namespace berth::conf
