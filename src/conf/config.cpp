#include "conf/config.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "berth/base/text.h"
#include "conf/advice.h"
#include "conf/config_keys.h"
#include "conf/jobs_settings.h"
#include "conf/known_keys.h"
#include "conf/server_settings.h"
#include "conf/small_sections.h"
#include "document/checked.h"
#include "document/cursor.h"
#include "document/readers.h"

namespace berth::conf {

using namespace document;

namespace {

// The ranges of sensible values. docs/configuration.md repeats them, and a test compares both.
using namespace std::chrono_literals;
constexpr DurationRange kPeriodRange{10ms, 1h};
constexpr DurationRange kClaimRange{1s, 24h};
constexpr DurationRange kForecastRange{0s, 1h};
constexpr DurationRange kBarrierRange{100ms, 1h};
constexpr DurationRange kVetoRange{1s, 24h};
constexpr DurationRange kLeaseRange{1s, 1h};
constexpr DurationRange kRenewRange{200ms, 1h};
constexpr DurationRange kRetryRange{100ms, 1h};
constexpr DurationRange kHalfLifeRange{1min, 8760h};

class ConfigLoader {
 public:
  ConfigLoader(const Value& root, std::string_view file, const KnownNames& known)
      : reading_(root, file), file_(file), known_(known) {}

  Result<Config> load() {
    const Cursor root = reading_.root();
    require_known_keys(root, "");
    config_.session.where = file_;
    read_actions(root);
    read_tiers(root);
    read_configurations(root["configurations"]);
    read_settings(root);
    read_eviction_limits(reading_, root["evictionLimit"], config_.session.eviction_limits);
    read_extender(reading_, root["extender"], config_.extender);
    read_pages(reading_, root["pages"], config_.pages);
    read_barrier(root["barrier"]);
    read_steering(root["steering"]);
    read_view(reading_, root["view"], config_.view);
    require_known_keys(root["jobs"], "jobs");
    read_jobs(root["jobs"], root["reservation"]["owners"], reading_, config_);
    read_constraints(reading_, root["constraints"], config_.constraints);
    read_topology(reading_, root["topology"], config_.topology);
    read_reservation(root["reservation"]);
    read_permissions(root["permissions"]);
    read_leader_election(root["leaderElection"]);
    read_kube_api(root["kubeAPI"]);
    read_history(reading_, root["history"], config_.history);
    require_known_keys(root["forecast"], "forecast");
    config_.forecast.period =
        duration_within(root["forecast"]["period"], config_.forecast.period, kForecastRange);
    require_known_keys(root["fairShare"], "fairShare");
    config_.fair_share.half_life =
        duration_within(root["fairShare"]["halfLife"], kUsageHalfLife, kHalfLifeRange);
    require_known_keys(root["page"], "page");
    config_.page.enabled = root["page"]["enabled"].boolean(config_.page.enabled);
    if (reading_.failed()) return reading_.error();
    for (std::string& each : advice_on(config_.session)) {
      config_.warnings.push_back(std::move(each));
    }
    return std::move(config_);
  }

 private:
  void require_known_keys(const Cursor& map, std::string_view section,
                          const std::vector<std::string>& further = {}) {
    conf::require_known_keys(reading_, map, section, further);
  }

  engine::Named named(const Cursor& at, std::string name, std::size_t offset = 0) const {
    Position position = at.value()->position;
    position.column += static_cast<std::int32_t>(offset);
    return {std::move(name), place(file_, position)};
  }

  // Requires one of the known names.
  bool require_known(const Cursor& at, const std::string& name, const char* what,
                     const std::vector<std::string>& known) const {
    if (std::find(known.begin(), known.end(), name) != known.end()) return true;
    at.complain("unknown " + std::string(what) + " \"" + name + "\"" + suggestion(name, known));
    return false;
  }

  void read_actions(const Cursor& root) {
    const Cursor actions = root["actions"];
    if (!actions.is_present()) {
      root.complain("`actions` is missing, expected the names of actions");
    } else if (actions.value()->kind == Kind::list) {
      for (const Cursor& item : actions.items()) add_action(item, item.text(), 0);
    } else {
      const std::string text = actions.text();
      std::size_t from = 0;
      for (const std::string& name : split_list(text, ',')) {
        const std::size_t at = text.find(name, from);
        add_action(actions, name, at + (actions.value()->quoted ? 1 : 0));
        from = at + name.size();
      }
    }
    if (config_.session.actions.empty()) {
      root["actions"].complain("no actions, expected at least one");
    }
  }

  void add_action(const Cursor& at, const std::string& name, std::size_t offset) {
    engine::Named action = named(at, name, offset);
    Position position = at.value()->position;
    position.column += static_cast<std::int32_t>(offset);
    if (std::find(known_.actions.begin(), known_.actions.end(), name) == known_.actions.end()) {
      if (!substitute_of(name).empty()) return warn_of_substitute(action);
      reading_.complain_at(
          position, "actions: unknown action \"" + name + "\"" + suggestion(name, known_.actions));
    }
    for (const engine::Named& each : config_.session.actions) {
      if (each.name != name) continue;
      reading_.complain_at(position,
                           "actions: a second \"" + name + "\", expected each action once");
    }
    config_.session.actions.push_back(std::move(action));
  }

  // S0 of Volcano's own documents writes plugins at the indentation of their list:
  //   - plugins:
  //   - name: gang
  // In YAML that is a tier without plugins and a tier with a name. The meaning is clear.
  void read_tiers(const Cursor& root) {
    const Cursor tiers = root["tiers"];
    if (!tiers.is_present()) root.complain("`tiers` is missing, expected a list of tiers");
    const Value* bare = nullptr;  // the tier whose list is empty and may stand behind it
    bool is_filled = true;        // something stood behind it
    for (const Cursor& tier : tiers.items()) {
      if (bare != nullptr && tier["name"].is_present()) {
        if (!std::exchange(is_filled, true)) warn_of_indentation(*bare);
        add_plugin(tier);
        continue;
      }
      if (!is_filled) complain_of_no_plugins(*bare);
      require_known_keys(tier, "tiers[]");
      if (tier.value()->find("plugins") == nullptr) {
        tier.complain("`plugins` is missing, expected a list of plugins");
      }
      is_filled = tier["plugins"].is_present();
      bare = is_filled ? nullptr : tier.value();
      config_.session.tiers.emplace_back();
      for (const Cursor& plugin : tier["plugins"].items()) add_plugin(plugin);
    }
    if (!is_filled) complain_of_no_plugins(*bare);
  }

  void warn_of_substitute(const engine::Named& left_out) {
    config_.warnings.push_back(left_out.where + ": action \"" + left_out.name +
                               "\" is left out; \"" + std::string(substitute_of(left_out.name)) +
                               "\" evicts whole jobs, too");
  }

  void complain_of_no_plugins(const Value& tier) {
    reading_.complain(tier, "`plugins` is empty, expected a list of plugins");
  }

  void warn_of_indentation(const Value& tier) {
    config_.warnings.push_back(reading_.place_of(tier) +
                               ": `plugins` is empty; the next entries at the same indentation "
                               "count as its plugins; indent them further");
  }

  void add_plugin(const Cursor& from) {
    std::vector<std::string> flags;
    for (const VolcanoFlag& flag : volcano_flags()) flags.emplace_back(flag.name);
    require_known_keys(from, "tiers[].plugins[]", flags);
    engine::PluginConfig plugin;
    const std::string name = from.required_text("name");
    if (reading_.failed()) return;
    require_known(from["name"], name, "plugin", known_.plugins);
    for (const auto& tier : config_.session.tiers) {
      const bool is_there = std::any_of(tier.begin(), tier.end(),
                                        [&](const auto& each) { return each.plugin.name == name; });
      if (is_there) from["name"].complain("a second \"" + name + "\", expected each plugin once");
    }
    plugin.plugin = named(from["name"], name);
    plugin.arguments = engine::Arguments(read_arguments(from["arguments"]));
    for (const Cursor& point : from["disable"].items()) {
      const std::string point_name = point.text();
      require_known(point, point_name, "point", known_.points);
      plugin.disabled_points.push_back(named(point, point_name));
    }
    for (const VolcanoFlag& flag : volcano_flags()) read_flag(from[flag.name], flag, plugin);
    config_.session.tiers.back().push_back(std::move(plugin));
  }

  void read_flag(const Cursor& from, const VolcanoFlag& flag, engine::PluginConfig& plugin) {
    if (!from.is_present()) return;
    const bool is_on = from.boolean(flag.is_on_by_default);
    bool has_effect = false;
    for (const std::string& point : split_list(flag.points, ' ')) {
      const auto& points = known_.points;
      if (std::find(points.begin(), points.end(), point) == points.end()) continue;
      has_effect = true;
      if (!is_on) plugin.disabled_points.push_back(named(from, point));
    }
    if (!has_effect && is_on != flag.is_on_by_default) {
      config_.warnings.push_back(reading_.place_of(*from.value()) + ": `" + std::string(flag.name) +
                                 "` has no effect here");
    }
  }

  std::map<std::string, engine::Arguments::Entry> read_arguments(const Cursor& from) {
    std::map<std::string, engine::Arguments::Entry> arguments;
    for (const auto& [key, value] : from.entries()) {
      const Value& found = *value.value();
      if (found.kind == Kind::list || found.kind == Kind::map || found.kind == Kind::null) {
        value.complain(std::string(name_of(found.kind)) +
                       " as an argument, expected a string, a number or a boolean");
      }
      arguments[std::string(key)] = {found.text, found.quoted, place(file_, found.position)};
    }
    return arguments;
  }

  void read_configurations(const Cursor& from) {
    for (const Cursor& item : from.items()) {
      require_known_keys(item, "configurations[]");
      const std::string name = item.required_text("name");
      if (reading_.failed()) return;
      const auto& actions = known_.actions;
      const bool is_known = std::find(actions.begin(), actions.end(), name) != actions.end();
      if (!is_known && !substitute_of(name).empty()) continue;
      require_known(item["name"], name, "action", known_.actions);
      const bool is_new = config_.session.action_arguments
                              .emplace(name, engine::Arguments(read_arguments(item["arguments"])))
                              .second;
      if (!is_new) item.complain("a second entry for \"" + name + "\", expected one");
    }
  }

  void read_settings(const Cursor& root) {
    if (const Cursor names = root["schedulerNames"]; names.is_present()) {
      config_.scheduler_names.clear();
      for (const Cursor& item : names.items()) {
        const std::string name = item.text();
        if (trimmed(name).size() != name.size() || name.empty()) {
          item.complain("empty, or with blanks around it, expected a name");
        }
        config_.scheduler_names.push_back(name);
      }
      require_no_doubles(names, config_.scheduler_names);
      if (config_.scheduler_names.empty()) names.complain("no names, expected at least one");
    }
    config_.session.claim_patience =
        duration_within(root["claimTimeout"], config_.session.claim_patience, kClaimRange);
    config_.schedule_period =
        duration_within(root["schedulePeriod"], config_.schedule_period, kPeriodRange);
    config_.default_queue = dns_subdomain(root["defaultQueue"], config_.default_queue);
    if (config_.default_queue.empty()) root["defaultQueue"].complain("empty, expected a queue");
    const std::string strategy = root["defaultQueueStrategy"].text("traverse");
    require_known(root["defaultQueueStrategy"], strategy, "strategy", {"fifo", "traverse"});
    config_.default_queue_is_fifo = strategy == "fifo";
    if (const Value* metrics = root.value()->find("metrics"); metrics != nullptr) {
      config_.warnings.push_back(reading_.place_of(*metrics) + ": `metrics` is ignored");
    }
    if (const Value* args = root.value()->find("args"); args != nullptr) {
      if (args->kind != Kind::null) {
        reading_.complain(*args, "not empty, expected `arguments` with a plugin or an action");
      }
      config_.warnings.push_back(reading_.place_of(*args) + ": the empty `args` is ignored");
    }
  }

  void read_barrier(const Cursor& from) {
    require_known_keys(from, "barrier");
    BarrierSettings& to = config_.barrier;
    to.timeout = duration_within(from["timeout"], to.timeout, kBarrierRange);
    to.max_timeout =
        duration_within(from["maxTimeout"], std::max(to.max_timeout, to.timeout), kBarrierRange);
    if (to.max_timeout < to.timeout) {
      from["maxTimeout"].complain("less than `timeout`, expected at least as much");
    }
  }

  void read_steering(const Cursor& from) {
    require_known_keys(from, "steering");
    static const std::set<std::string> kFormerModes{"candidates", "filter-only", "pin"};
    SteeringSettings& to = config_.steering;
    to.mode = from["mode"].text(to.mode);
    if (kFormerModes.contains(to.mode)) {
      from["mode"].complain(
          "mode \"" + to.mode +
          "\" is gone, expected \"view\" with a kube-scheduler of Berth's own, or "
          "\"nominate\" (docs/upgrading.md)");
    } else {
      require_known(from["mode"], to.mode, "mode", {"nominate", "view"});
    }
    to.veto_memory = duration_within(from["vetoMemory"], to.veto_memory, kVetoRange);
    to.retry_limit = duration_within(from["retryLimit"], to.retry_limit, kVetoRange);
  }

  void read_reservation(const Cursor& from) {
    require_known_keys(from, "reservation");
    ReservationSettings& to = config_.reservation;
    to.enforce = from["enforce"].text(to.enforce);
    require_known(from["enforce"], to.enforce, "way", {"filter", "taint"});
    to.authorization = from["authorization"].text(to.authorization);
    require_known(from["authorization"], to.authorization, "way",
                  {"auto", "none", "policy", "review"});
  }

  void read_permissions(const Cursor& from) {
    require_known_keys(from, "permissions");
    const auto read = [this](const Cursor& key, std::string& to) {
      to = key.text(to);
      require_known(key, to, "way", {"none", "review"});
    };
    read(from["groupClass"], config_.permissions.group_class);
    read(from["protection"], config_.permissions.protection);
  }

  void read_leader_election(const Cursor& from) {
    require_known_keys(from, "leaderElection");
    LeaderElectionSettings& to = config_.leader_election;
    to.enabled = from["enabled"].boolean(to.enabled);
    to.name_space = dns_label(from["namespace"], to.name_space);
    to.name = dns_subdomain(from["name"], to.name);
    if (to.name.empty()) from["name"].complain("empty, expected a name");
    to.lease_duration = duration_within(from["leaseDuration"], to.lease_duration, kLeaseRange);
    to.renew_deadline = duration_within(from["renewDeadline"], to.renew_deadline, kRenewRange);
    to.retry_period = duration_within(from["retryPeriod"], to.retry_period, kRetryRange);
    // A Lease has no fractions: others would take over before we give up.
    if (to.lease_duration % 1s != Duration{0}) {
      from["leaseDuration"].complain("expected whole seconds, as a Lease has them");
    }
    if (to.renew_deadline >= to.lease_duration) {
      from.complain("`renewDeadline` is not below `leaseDuration`");
    }
    if (to.retry_period >= to.renew_deadline) {
      from.complain("`retryPeriod` is not below `renewDeadline`");
    }
  }

  void read_kube_api(const Cursor& from) {
    require_known_keys(from, "kubeAPI");
    KubeApiSettings& to = config_.kube_api;
    to.qps =
        static_cast<double>(from["qps"].integer(static_cast<std::int64_t>(to.qps), 1, 1'000'000));
    to.burst = static_cast<int>(from["burst"].integer(to.burst, 1, 1'000'000));
    to.max_in_flight = static_cast<int>(from["maxInFlight"].integer(to.max_in_flight, 1, 4096));
    to.scheduler_lease_namespace =
        dns_label(from["schedulerLeaseNamespace"], to.scheduler_lease_namespace);
    to.scheduler_lease_name = dns_subdomain(from["schedulerLeaseName"], to.scheduler_lease_name);
    for (const char* key : {"schedulerLeaseNamespace", "schedulerLeaseName"}) {
      if (from[key].is_present() && from[key].text().empty()) {
        from[key].complain("empty, expected a name");
      }
    }
  }

  Reading reading_;
  std::string file_;
  const KnownNames& known_;
  Config config_;
};

}  // namespace

Result<Config> load_config(std::string_view text, std::string_view file, const KnownNames& known) {
  const Result<Value> root = parse_yaml(text, file);
  if (!root) return root.error();
  if (root->kind == Kind::null) {
    return Error{"the file is empty, expected actions and tiers", place(file, {1, 1})};
  }
  Result<Config> config = ConfigLoader(*root, file, known).load();
  if (config) config->text = text;
  return config;
}

}  // namespace berth::conf
