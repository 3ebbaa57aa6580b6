#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "berth/base/boot_clock.h"
#include "berth/base/forward_clock.h"
#include "berth/base/thread_executor.h"
#include "daemon/environment.h"
#include "kubeapi/access.h"
#include "kubeapi/access_reviews.h"
#include "kubeapi/account_token.h"
#include "kubeapi/api_writer.h"
#include "kubeapi/cluster_check.h"
#include "kubeapi/leader_election.h"
#include "kubeapi/learned_config_map.h"
#include "kubeapi/live_cluster.h"
#include "kubeapi/machine_thread.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/starting_pods.h"
#include "kubeapi/token_reviews.h"
#include "telemetry/families.h"
#include "telemetry/log.h"

namespace berth::daemon {

namespace {

using telemetry::Level;
using telemetry::log;

// The present term, and the clock that it goes by.
struct Terms {
  BootClock clock;
  ports::Leadership present{clock};
};

// Writes that are under way when a lease is given back.
constexpr Duration kWritesEnd = std::chrono::seconds(1);

// API-34. The election asks at least each `retryPeriod`. Without one, a watch begins or ends in
// good order at least each minute (API-31).
constexpr Duration kSilenceLeast = std::chrono::seconds(20);
constexpr Duration kSilenceOfWatches = std::chrono::seconds(90);

// Host and process, and a number that a restarted container does not share with the one before.
std::string make_identity() {
  char host[256] = "unknown";
  gethostname(host, sizeof host - 1);
  std::random_device random;
  return fmt::format("{}_{:08x}{:08x}", host, random(), random());
}

bool evicts(const engine::SessionConfig& config) {
  constexpr std::array<std::string_view, 5> kEvicting{"shuffle", "reserve", "preempt", "reclaim",
                                                      "cleanup"};
  return std::any_of(config.actions.begin(), config.actions.end(), [&](const auto& action) {
    return std::find(kEvicting.begin(), kEvicting.end(), action.name) != kEvicting.end();
  });
}

// A cluster behind an API server.
class LiveEnvironment final : public Environment {
 public:
  LiveEnvironment(const Flags& flags, std::shared_ptr<const conf::Config> config,
                  std::string name_space, proxy::Upstream upstream, std::unique_ptr<Terms> terms,
                  std::unique_ptr<kubeapi::RestClient> client)
      : config_(std::move(config)),
        upstream_(std::move(upstream)),
        identity_(make_identity()),
        terms_(std::move(terms)),
        client_(std::move(client)),
        writer_(*client_, executor_, clock_, identity_),
        reviews_(*client_, executor_),
        callers_(*client_, steady_clock_),
        starting_pods_(*client_, config_->scheduler_names),
        cluster_(*client_, live_options()) {
    const conf::LeaderElectionSettings& election = config_->leader_election;
    name_space_ = !flags.lease_namespace.empty() ? flags.lease_namespace
                  : !election.name_space.empty() ? election.name_space
                                                 : std::move(name_space);
    if (!name_space_.empty()) learned_.emplace(*client_, name_space_);
    if (!flags.leader_elect.value_or(election.enabled)) return;
    lease_.emplace();
    lease_->name_space = name_space_;
    lease_->name = election.name;
    lease_->identity = identity_;
    lease_->lease_duration = election.lease_duration;
    lease_->renew_deadline = election.renew_deadline;
    lease_->retry_period = election.retry_period;
  }

  const Clock& clock() const override { return clock_; }
  ports::ClusterSource& source() override { return cluster_; }
  ports::Binder& binder() override { return writer_; }
  ports::ObjectWriter& writer() override { return writer_; }
  const ports::Leadership& leadership() const override { return terms_->present; }
  ports::StartingPods* starting_pods() override { return lease_ ? &starting_pods_ : nullptr; }
  ports::LearnedStore* learned_store() override { return learned_ ? &*learned_ : nullptr; }
  ports::Access* access() override { return &reviews_; }
  ports::Callers* callers() override { return &callers_; }
  void answer_to(ports::EventSink& sink) override {
    reviews_.start(sink, config_->reservation.authorization == "auto");
  }

  Status open(Hooks hooks) override {
    hooks_ = std::move(hooks);
    return Done{};
  }

  Status begin(Verbs verbs) override {
    log(Level::info,
        fmt::format("listening on port {}; live cluster, as {}", verbs.port, identity_));
    kubeapi::check_cluster(
        *client_, {config_->steering.mode, config_->view.autoscaling, config_->constraints.volumes},
        [](const std::string& finding) { log(Level::warning, finding); });
    if (lease_) {
      election_.emplace(
          terms_->present, clock_, *lease_,
          kubeapi::LeaderElection::Callbacks{
              hooks_.start_leading,
              [this] {
                hooks_.stop_leading();
                const bool holds = terms_->present.epoch() != 0;
                client_->end_writes(holds ? kWritesEnd : Duration(0));
              },
              [](const std::string& line) { log(Level::info, line); }, hooks_.has_kube_scheduler});
      election_thread_.emplace(*client_, *election_, "lease");
      election_thread_->start();
    } else {
      // Above that of any run before, as long as clocks do not go back.
      const auto now = clock_.now().time_since_epoch();
      const auto epoch =
          static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
      terms_->present.begin(epoch, ports::Leadership::kForever);
      hooks_.start_leading(epoch);
    }
    return Done{};
  }

  void follow_account(const conf::AccountName& account,
                      std::function<void(const std::string&)> use) override {
    kubeapi::AccountTokenOptions options;
    options.name_space = account.name_space.empty() ? name_space_ : account.name_space;
    options.name = account.name;
    account_token_.emplace(
        *client_, executor_, std::move(options),
        kubeapi::AccountToken::Callbacks{
            std::move(use), [](const std::string& line) { log(Level::info, line); },
            [](const std::string& line) { log(Level::warning, line); }});
    account_token_->start();
  }
  void token_refused() override { account_token_->refused(); }
  std::string account_fault() const override {
    return account_token_ ? account_token_->fault() : std::string();
  }
  std::string api_fault() const override {
    const Duration longest =
        lease_ ? std::max(kSilenceLeast, 3 * lease_->retry_period) : kSilenceOfWatches;
    return client_->pulse().fault(longest);
  }

  void stop_callers() override {
    if (election_thread_) election_thread_->stop();
    if (account_token_) account_token_->stop();
  }
  void stop() override {
    cluster_.stop();
    reviews_.stop();
    client_->stop();
    executor_.stop();
  }

  std::string exposition() const override {
    using telemetry::add_series;
    using telemetry::counter_family;
    using telemetry::gauge_family;
    using Read = kubeapi::ReflectorCounters;
    telemetry::Families families;
    const auto kinds = cluster_.counters();
    const auto by_kind = [&](telemetry::MetricFamily family, Counter Read::*member) {
      for (const auto& [kind, counters] : kinds) {
        add_series(family, {{"kind", kind}}, static_cast<double>(counters.*member));
      }
      families.push_back(std::move(family));
    };
    by_kind(counter_family("berth_api_lists_total", "Lists of objects"), &Read::lists);
    by_kind(counter_family("berth_api_watches_total", "Watches begun"), &Read::watches);
    by_kind(counter_family("berth_api_watch_failures_total", "Lists and watches that failed"),
            &Read::failures);
    by_kind(counter_family("berth_api_events_total", "Events of watches"), &Read::events);
    by_kind(counter_family("berth_api_decode_failures_total", "Objects that could not be read"),
            &Read::decode_failures);
    by_kind(gauge_family("berth_api_objects", "Objects known"), &Read::objects);
    const auto alone = [&](telemetry::MetricFamily family, std::uint64_t value) {
      add_series(family, {}, static_cast<double>(value));
      families.push_back(std::move(family));
    };
    const kubeapi::RestCounters requests = client_->counters();
    alone(counter_family("berth_api_requests_total", "Requests sent"), requests.sent);
    alone(counter_family("berth_api_requests_failed_total", "Requests that failed"),
          requests.failed);
    alone(counter_family("berth_api_requests_throttled_total", "Requests the server put off"),
          requests.throttled);
    alone(counter_family("berth_api_writes_outdated_total",
                         "Writes that were not sent, or given up, as the lease had run out"),
          requests.outdated);
    const auto silence =
        std::chrono::duration_cast<std::chrono::seconds>(client_->pulse().silence());
    alone(gauge_family("berth_api_silent_seconds", "Since the API server last answered a request"),
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, silence.count())));
    if (election_) {
      alone(counter_family("berth_lease_losses_total",
                           "Times that the lease was lost: not renewed in time, or taken"),
            election_->losses());
    }
    alone(gauge_family("berth_api_requests_queued", "Requests that wait"), requests.queued);
    alone(gauge_family("berth_api_requests_in_flight", "Requests without an answer yet"),
          requests.in_flight);
    if (account_token_) {
      const auto tokens = account_token_->counters();
      alone(counter_family("berth_view_tokens_total", "Tokens got for kube-scheduler's account"),
            tokens.tokens);
      alone(counter_family("berth_view_token_failures_total", "Attempts to get one that failed"),
            tokens.failures);
      alone(gauge_family("berth_view_token_valid", "Whether there is a valid token"),
            account_token_->fault().empty() ? 1 : 0);
    }
    return telemetry::exposition_of(families);
  }

  std::optional<proxy::Upstream> upstream() const override { return upstream_; }
  podview::PodWindow* pod_window() override { return &pod_window_; }

  std::string not_ready() const override {
    std::string text;
    for (const std::string& kind : cluster_.unsynced()) text += (text.empty() ? "" : ", ") + kind;
    return text.empty() ? text : "not listed yet: " + text;
  }

  std::string limitation() const override {
    std::string text;
    for (const std::string& kind : cluster_.missing_for_volumes()) {
      text += (text.empty() ? "" : ", ") + kind;
    }
    if (text.empty()) return text;
    return "pods with claims are planned without regard to volumes, since these are not listed: " +
           text;
  }

 private:
  kubeapi::LiveOptions live_options() {
    kubeapi::LiveOptions options;
    if (config_->steering.mode == "view") options.pods = &pod_window_;
    options.reflector.complain = [](const std::string& what, const Error& error) {
      log(Level::warning, what + ": " + error.to_string());
    };
    options.owners = config_->jobs.owners;
    options.budgets = evicts(config_->session);
    options.volumes = config_->constraints.volumes;
    options.selecting = !config_->constraints.default_spreads.empty();
    options.lease_namespace = config_->kube_api.scheduler_lease_namespace;
    options.lease_name = config_->kube_api.scheduler_lease_name;
    options.scheduler_leads = [this](const std::string& holder) {
      log(Level::info, holder.empty() ? std::string("no kube-scheduler leads")
                                      : "kube-scheduler leads: " + holder);
      if (!holder.empty()) hooks_.kube_scheduler_changed();
    };
    return options;
  }

  std::shared_ptr<const conf::Config> config_;
  const proxy::Upstream upstream_;
  const std::string identity_;
  ForwardClock clock_;
  Hooks hooks_;
  const std::unique_ptr<Terms> terms_;  // outlives the client
  std::unique_ptr<kubeapi::RestClient> client_;
  const ScaledClock steady_clock_{TimePoint()};
  ThreadExecutor executor_{steady_clock_, "timer"};  // for requests that are sent later
  kubeapi::ApiWriter writer_;
  kubeapi::AccessReviews reviews_;
  kubeapi::TokenReviews callers_;
  kubeapi::StartingPodsReader starting_pods_;
  std::optional<kubeapi::LearnedConfigMap> learned_;
  podview::PodWindow pod_window_;
  kubeapi::LiveCluster cluster_;
  std::optional<kubeapi::LeaseOptions> lease_;
  std::optional<kubeapi::LeaderElection> election_;
  std::optional<kubeapi::MachineThread> election_thread_;
  std::string name_space_;  // of the Lease
  std::optional<kubeapi::AccountToken> account_token_;
};

}  // namespace

Result<std::unique_ptr<Environment>> make_live(const Flags& flags,
                                               std::shared_ptr<const conf::Config> config) {
  auto access = flags.kubeconfig.empty()
                    ? kubeapi::in_cluster()
                    : kubeapi::load_kubeconfig(flags.kubeconfig, flags.context);
  if (!access) return access.error();
  const std::string name_space = access->name_space;
  proxy::Upstream upstream{access->server, access->ca.file, access->ca.bytes,
                           access->tls_server_name, access->insecure};
  kubeapi::RestOptions options;
  options.qps = flags.kube_api_qps.value_or(config->kube_api.qps);
  options.burst = flags.kube_api_burst.value_or(config->kube_api.burst);
  options.max_in_flight = config->kube_api.max_in_flight;
  options.user_agent = "berthd/" BERTH_VERSION;
  auto terms = std::make_unique<Terms>();
  options.leadership = &terms->present;
  auto client = kubeapi::RestClient::create(std::move(*access), options);
  if (!client) return client.error();
  return std::unique_ptr<Environment>(
      std::make_unique<LiveEnvironment>(flags, std::move(config), name_space, std::move(upstream),
                                        std::move(terms), std::move(*client)));
}

}  // namespace berth::daemon
