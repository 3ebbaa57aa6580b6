#include "conf/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "berth/base/text.h"
#include "conf/config_keys.h"
#include "support/checkout.h"

namespace berth::conf::config_test {
namespace {

const KnownNames kKnown{
    {"allocate", "backfill", "elect", "enqueue", "reserve"},
    {"binpack", "conformance", "drf", "fragmentation", "gang", "nodeorder", "overcommit",
     "predicates", "priority", "proportion", "reservation", "sla"},
    {"batchNodeOrder", "jobEnqueueable", "jobOrder", "nodeOrder", "occupancy", "overused",
     "predicate", "preemptable", "wishOrder"}};

KnownNames all_names() {
  KnownNames names = kKnown;
  names.actions.insert(names.actions.end(), {"cleanup", "preempt", "reclaim"});
  names.plugins.insert(names.plugins.end(), {"elastic", "pdb"});
  return names;
}

std::string contents(const std::string& path) {
  std::ifstream stream(support::source_file(path));
  EXPECT_TRUE(stream.is_open()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

Config good(const std::string& text, const KnownNames& known = kKnown) {
  const Result<Config> config = load_config(text, "c.yaml", known);
  EXPECT_TRUE(config.has_value()) << config.error().to_string();
  return config ? *config : Config();
}

std::string error_of(const std::string& text) {
  const Result<Config> config = load_config(text, "c.yaml", kKnown);
  return config ? "" : config.error().to_string();
}

// A complete file except for `rest`.
std::string with(const std::string& rest) {
  return "actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n" + rest;
}

std::string names_of(const engine::SessionConfig& session) {
  std::string names;
  for (const engine::Tier& tier : session.tiers) {
    for (const engine::PluginConfig& plugin : tier) names += plugin.plugin.name + " ";
    names += "| ";
  }
  return names;
}

TEST(LoadConfig, reads_the_shipped_default) {
  Config config = good(contents("config/berth.yaml"), all_names());
  EXPECT_EQ(
      names_of(config.session),
      "priority gang elastic conformance pdb reservation | overcommit drf predicates proportion "
      "nodeorder fragmentation binpack | ");
  ASSERT_EQ(config.session.actions.size(), 8U);
  EXPECT_EQ(config.session.actions[3].name, "allocate");
  EXPECT_EQ(config.session.actions[3].where, "c.yaml:6:36");
  EXPECT_EQ(config.session.tiers[1][0].arguments.thousandths("overcommit-factor", 0, 0, 9000),
            1200);
  EXPECT_TRUE(config.warnings.empty());

  const Config standard;  // the file states the defaults
  EXPECT_EQ(config.scheduler_names, standard.scheduler_names);
  EXPECT_EQ(config.schedule_period, standard.schedule_period);
  EXPECT_EQ(config.default_queue, standard.default_queue);
  EXPECT_EQ(config.extender.address, standard.extender.address);
  EXPECT_EQ(config.extender.port, standard.extender.port);
  EXPECT_EQ(config.extender.max_body_bytes, standard.extender.max_body_bytes);
  EXPECT_EQ(config.extender.max_connections, standard.extender.max_connections);
  EXPECT_EQ(config.extender.idle_timeout, standard.extender.idle_timeout);
  EXPECT_EQ(config.extender.request_timeout, standard.extender.request_timeout);
  EXPECT_EQ(config.barrier.timeout, standard.barrier.timeout);
  EXPECT_EQ(config.barrier.max_timeout, standard.barrier.max_timeout);
  EXPECT_EQ(config.session.eviction_limits, engine::EvictionLimits());
}

// Row 0.32 (s0.yaml): the factor in `configurations`, as an argument of enqueue.
TEST(LoadConfig, reads_the_examples) {
  const Config volcano = good(contents("config/examples/volcano-scheduler.conf"));
  EXPECT_EQ(
      names_of(volcano.session),
      "priority gang conformance | overcommit drf predicates proportion nodeorder binpack | ");
  ASSERT_EQ(volcano.session.tiers[0][1].disabled_points.size(), 1U);
  EXPECT_EQ(volcano.session.tiers[0][1].disabled_points[0].name, "preemptable");
  EXPECT_EQ(volcano.session.tiers[0][1].disabled_points[0].where, "c.yaml:7:24");
  EXPECT_TRUE(volcano.warnings.empty());
  Config s0 = good(contents("config/examples/s0.yaml"));
  EXPECT_EQ(s0.session.action_arguments.at("enqueue").thousandths("overcommit-factor", 0, 0, 9000),
            1000);
}

// Issue 9, row 7; rule TARGET-9 of reservation.
TEST(LoadConfig, warns_where_every_job_is_elected) {
  const auto warnings = [](const std::string& actions, const std::string& arguments) {
    return good("actions: \"" + actions + "\"\ntiers:\n- plugins:\n  - name: reservation\n" +
                (arguments.empty() ? "" : "    arguments: {" + arguments + "}\n"))
        .warnings;
  };
  const std::string actions = "elect, enqueue, reserve, allocate";
  const std::vector<std::string> expected{
      "c.yaml:4:11: without `wait-duration`, `request-line` or `wait-line`, every waiting job "
      "becomes a target in turn, even a small one"};
  EXPECT_EQ(warnings(actions, ""), expected);
  EXPECT_EQ(warnings(actions, "wait-duration: 0s, nodes: 3"), expected);
  EXPECT_TRUE(warnings("enqueue, allocate", "").empty());
  EXPECT_TRUE(warnings(actions, "wait-duration: 5m").empty());
  EXPECT_TRUE(warnings(actions, "wait-line: 5m").empty());
  EXPECT_TRUE(warnings(actions, "request-line: cpu=5").empty());
  EXPECT_EQ(good(contents("config/examples/s0.yaml")).warnings.size(), 1U);
  EXPECT_TRUE(good(contents("config/examples/reservation.yaml")).warnings.empty());
  EXPECT_TRUE(good(contents("config/examples/spread.yaml"), all_names()).warnings.empty());
}

TEST(LoadConfig, takes_the_sample_of_volcanos_reservation_document_as_it_is_meant) {
  const Config config = good(contents("tests/conf/testdata/s0.yaml"));
  EXPECT_EQ(
      names_of(config.session),
      "priority gang conformance reservation | drf predicates proportion nodeorder binpack | ");
  EXPECT_EQ(config.session.actions.size(), 5U);
  EXPECT_EQ(config.session.tiers[1][2].plugin.where, "c.yaml:15:11");
  EXPECT_EQ(
      config.warnings,
      (std::vector<std::string>{
          "c.yaml:7:5: `plugins` is empty; the next entries at the same indentation count as "
          "its plugins; indent them further",
          "c.yaml:12:5: `plugins` is empty; the next entries at the same indentation count as "
          "its plugins; indent them further",
          "c.yaml:18:1: the empty `args` is ignored",
          "c.yaml:11:11: without `wait-duration`, `request-line` or `wait-line`, every waiting job "
          "becomes a target in turn, even a small one"}));
}

TEST(LoadConfig, leaves_out_actions_of_volcano_for_which_we_have_another_and_says_so) {
  const Config config = good(
      "actions: \"enqueue, allocate, gangpreempt, gangreclaim, preempt\"\n"
      "configurations: [{name: gangpreempt, arguments: {of: theirs}}]\n"
      "tiers: [{plugins: [{name: gang}]}]\n",
      all_names());
  ASSERT_EQ(config.session.actions.size(), 3U);
  EXPECT_EQ(config.session.actions[2].name, "preempt");
  EXPECT_TRUE(config.session.action_arguments.empty());
  EXPECT_EQ(config.warnings,
            (std::vector<std::string>{
                "c.yaml:1:30: action \"gangpreempt\" is left out; \"preempt\" evicts whole jobs, "
                "too",
                "c.yaml:1:43: action \"gangreclaim\" is left out; \"reclaim\" evicts whole jobs, "
                "too"}));
}

TEST(LoadConfig, reads_our_own_sections) {
  const Config config = good(with(R"(
schedulerNames: [berth, volcano]
schedulePeriod: 250ms
defaultQueue: batch
extender:
  address: 0.0.0.0
  port: 0
  tls: {certFile: a.crt, keyFile: a.key, clientCAFile: ca.crt}
  maxBodyBytes: 1048576
barrier: {timeout: 3m}
)"));
  EXPECT_EQ(config.scheduler_names, (std::vector<std::string>{"berth", "volcano"}));
  EXPECT_EQ(config.schedule_period, std::chrono::milliseconds(250));
  EXPECT_EQ(config.default_queue, "batch");
  EXPECT_EQ(config.extender.address, "0.0.0.0");
  EXPECT_EQ(config.extender.port, 0);
  EXPECT_EQ(config.extender.tls->client_ca_file, "ca.crt");
  EXPECT_EQ(config.extender.max_body_bytes, 1048576U);
  EXPECT_EQ(config.barrier.timeout, std::chrono::minutes(3));
  EXPECT_EQ(config.barrier.max_timeout, std::chrono::minutes(3));
}

TEST(LoadConfig, maps_volcanos_switches_to_points_and_says_which_do_nothing) {
  const Config config = good(
      "actions: [allocate]\ntiers:\n- plugins:\n  - {name: predicates, enablePredicate: false,"
      " enableNodeOrder: true, disable: [jobOrder]}\n  - {name: gang, enableHierarchy: true,"
      " enabledVictim: false, enableBestNode: true}\nmetrics: {type: prometheus}\n");
  std::string disabled;
  for (const auto& point : config.session.tiers[0][0].disabled_points) disabled += point.name + " ";
  EXPECT_EQ(disabled, "jobOrder predicate occupancy ");
  EXPECT_EQ(config.warnings,
            (std::vector<std::string>{"c.yaml:5:35: `enableHierarchy` has no effect here",
                                      "c.yaml:5:56: `enabledVictim` has no effect here",
                                      "c.yaml:6:10: `metrics` is ignored"}));
}

TEST(LoadConfig, refuses_every_slip_with_its_place_and_a_suggestion) {
  const struct {
    std::string text;
    const char* error;
  } cases[] = {
      {"", "c.yaml:1:1: the file is empty, expected actions and tiers"},
      {"# all\n# gone\n", "c.yaml:1:1: the file is empty, expected actions and tiers"},
      {"tiers: []\n", "c.yaml:1:1: `actions` is missing, expected the names of actions"},
      {"actions: allocate\n", "c.yaml:1:1: `tiers` is missing, expected a list of tiers"},
      {"actions: enqueue, alocate\ntiers: []\n",
       "c.yaml:1:19: actions: unknown action \"alocate\"; did you mean \"allocate\"?"},
      {"actions: ','\ntiers: []\n", "c.yaml:1:10: actions: no actions, expected at least one"},
      {"actions: allocate\ntiers:\n- plugins:\n  - name: gagn\n",
       "c.yaml:4:11: tiers[0].plugins[0].name: unknown plugin \"gagn\"; did you mean \"gang\"?"},
      {"actions: allocate\ntiers:\n- plugins:\n  - nam: gang\n",
       "c.yaml:4:5: unknown key \"nam\" in tiers[].plugins[]; did you mean \"name\"?"},
      {"actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    enableJobOder: false\n",
       "c.yaml:5:5: unknown key \"enableJobOder\" in tiers[].plugins[]; did you mean "
       "\"enableJobOrder\"?"},
      {"actions: allocate\ntiers:\n- plugins:\n  - {name: gang, disable: [jobOder]}\n",
       "c.yaml:4:28: tiers[0].plugins[0].disable[0]: unknown point \"jobOder\"; did you mean "
       "\"jobOrder\"?"},
      {"actions: allocate\ntiers:\n- plugins:\n",
       "c.yaml:3:3: tiers[0]: `plugins` is empty, expected a list of plugins"},
      {"actions: allocate\ntiers:\n- name: gang\n",
       "c.yaml:3:3: unknown key \"name\" in tiers[]; expected one of: plugins"},
      {"actions: allocate\ntiers:\n- plugins: [{name: gang, arguments: {a: [1]}}]\n",
       "c.yaml:3:41: tiers[0].plugins[0].arguments.a: a list as an argument, expected a string, a "
       "number or a boolean"},
      {with("schedulePeriodd: 1s\n"),
       "c.yaml:3:1: unknown key \"schedulePeriodd\"; did you mean \"schedulePeriod\"?"},
      {with("schedulePeriod: 1\n"),
       "c.yaml:3:17: schedulePeriod: \"1\" has no unit, expected a duration such as 1s or 1m"},
      {with("extender: {port: 65536}\n"),
       "c.yaml:3:18: extender.port: \"65536\" is out of range, expected a whole number from 0 to "
       "65535"},
      {with("extender: {tls: {certFile: a}}\n"),
       "c.yaml:3:17: extender.tls: `keyFile` is missing, expected a string"},
      {with("barrier: {timeout: 10s, maxTimeout: 5s}\n"),
       "c.yaml:3:37: barrier.maxTimeout: less than `timeout`, expected at least as much"},
      {with("schedulerNames: []\n"),
       "c.yaml:3:17: schedulerNames: no names, expected at least one"},
      {with("configurations: [{name: preemt}]\n"),
       "c.yaml:3:25: configurations[0].name: unknown action \"preemt\"; expected one of: "
       "allocate, backfill, elect, enqueue, reserve"},
      {with("configurations: [{name: enqueue}, {name: enqueue}]\n"),
       "c.yaml:3:35: configurations[1]: a second entry for \"enqueue\", expected one"},
      {with("args: {a: 1}\n"),
       "c.yaml:3:7: args: not empty, expected `arguments` with a plugin or an action"},
      {with("actions: backfill\n"),
       "c.yaml:3:1: duplicate key \"actions\", expected each key once"},
      {"[allocate]\n", "c.yaml:1:1: a list is not a map, expected a map"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(error_of(text), error) << text;
}

TEST(LoadConfig, refuses_odd_values_with_what_was_expected) {
  const struct {
    std::string text;
    const char* error;
  } cases[] = {
      {with("schedulePeriod: 1ms\n"),
       "c.yaml:3:17: schedulePeriod: 1ms is too short, expected 10ms to 1h"},
      {with("extender: {idleTimeout: 1ns}\n"),
       "c.yaml:3:25: extender.idleTimeout: 1ns is too short, expected 1m31s to 24h"},
      {with("extender: {address: localhost}\n"),
       "c.yaml:3:21: extender.address: \"localhost\" is no IP address, expected one such as "
       "127.0.0.1, 0.0.0.0 or ::"},
      {with("leaderElection: {leaseDuration: 15500ms}\n"),
       "c.yaml:3:33: leaderElection.leaseDuration: expected whole seconds, as a Lease has them"},
      {with("leaderElection: {namespace: a.b}\n"),
       "c.yaml:3:29: leaderElection.namespace: \"a.b\" is no valid name, expected at most 63 "
       "lower-case letters, digits or '-', with a letter or digit at both ends"},
      {with("leaderElection: {name: Berthd}\n"),
       "c.yaml:3:24: leaderElection.name: \"Berthd\" is no valid name, expected at most 253 "
       "lower-case letters, digits, '-' or '.', with a letter or digit at both ends"},
      {with("leaderElection: {name: ''}\n"),
       "c.yaml:3:24: leaderElection.name: empty, expected a name"},
      {with("kubeAPI: {schedulerLeaseName: ''}\n"),
       "c.yaml:3:31: kubeAPI.schedulerLeaseName: empty, expected a name"},
      {with("schedulerNames: [berth, volcano, berth]\n"),
       "c.yaml:3:34: schedulerNames[2]: a second \"berth\", expected each name once"},
      {with("schedulerNames: [' ']\n"),
       "c.yaml:3:18: schedulerNames[0]: empty, or with blanks around it, expected a name"},
      {"actions: enqueue, allocate, enqueue\ntiers: []\n",
       "c.yaml:1:29: actions: a second \"enqueue\", expected each action once"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(error_of(text), error) << text;
}

TEST(LoadConfig, takes_each_plugin_once) {
  const std::string twice = "actions: allocate\ntiers: [{plugins: [{name: gang}, {name: gang}]}]\n";
  EXPECT_NE(error_of(twice).find("c.yaml:2:"), std::string::npos) << error_of(twice);
  EXPECT_NE(error_of(twice).find("a second \"gang\", expected each plugin once"),
            std::string::npos);
}

TEST(LoadConfig, reads_how_a_live_cluster_is_steered) {
  const Config config =
      good(with("steering: {mode: view, vetoMemory: 10s, retryLimit: 2m}\n"
                "leaderElection: {enabled: false, name: b, leaseDuration: 30s}\n"
                "kubeAPI: {qps: 50, burst: 70, maxInFlight: 8}\n"));
  EXPECT_EQ(config.steering,
            (SteeringSettings{"view", std::chrono::seconds(10), std::chrono::minutes(2)}));
  EXPECT_FALSE(config.leader_election.enabled);
  EXPECT_EQ(config.leader_election.name, "b");
  EXPECT_EQ(config.leader_election.lease_duration, std::chrono::seconds(30));
  EXPECT_EQ(config.kube_api.qps, 50);
  EXPECT_EQ(config.kube_api.burst, 70);
  EXPECT_EQ(config.kube_api.max_in_flight, 8);
}

TEST(LoadConfig, AUTOSCALE5_autoscaling_is_on_unless_it_is_turned_off) {
  EXPECT_TRUE(good(with("")).view.autoscaling);
  EXPECT_FALSE(good(with("view: {autoscaling: false}\n")).view.autoscaling);
  EXPECT_NE(error_of(with("view: {autoscaling: perhaps}\n")).find("c.yaml:"), std::string::npos);
}

TEST(LoadConfig, reads_how_nodes_are_kept) {
  EXPECT_EQ(good(with("")).reservation.enforce, "filter");
  EXPECT_EQ(good(with("reservation: {enforce: taint}\n")).reservation.enforce, "taint");
  EXPECT_NE(error_of(with("reservation: {enforce: taints}\n")).find("did you mean \"taint\""),
            std::string::npos);
  EXPECT_NE(error_of(with("reservation: {owner: []}\n")).find("did you mean \"owners\""),
            std::string::npos);
}

TEST(LoadConfig, OWNED6_reads_which_owners_are_gangs_without_an_annotation) {
  EXPECT_EQ(good(with("")).jobs.gang, GangRule::annotated);
  EXPECT_EQ(good(with("jobs: {gang: indexed}\n")).jobs.gang, GangRule::indexed);
  EXPECT_EQ(good(with("jobs: {gang: all}\n")).jobs.gang, GangRule::all);
  const std::string bad = error_of(with("jobs: {gang: indexd}\n"));
  EXPECT_NE(bad.find("unknown rule \"indexd\"; did you mean \"indexed\"?"), std::string::npos)
      << bad;
}

TEST(LoadConfig, reads_which_owners_are_watched_and_their_old_key) {
  EXPECT_EQ(good(with("")).jobs.owners, default_owner_resources());
  EXPECT_EQ(good(with("jobs: {owners: [a.v1.b]}\n")).jobs.owners,
            std::vector<std::string>{"a.v1.b"});
  EXPECT_TRUE(good(with("jobs: {owners: []}\n")).jobs.owners.empty());
  const Config old = good(with("reservation: {owners: [a.v1.b, jobs.v1.batch]}\n"));
  EXPECT_EQ(old.jobs.owners.size(), default_owner_resources().size() + 1);
  EXPECT_EQ(old.jobs.owners.back(), "a.v1.b");
  ASSERT_EQ(old.warnings.size(), 1U);
  EXPECT_NE(old.warnings[0].find("`reservation.owners` is now `jobs.owners`"), std::string::npos);
  const std::string twice = error_of(with("jobs: {owners: [a.v1.b, a.v1.b]}\n"));
  EXPECT_NE(twice.find("a second \"a.v1.b\", expected each name once"), std::string::npos) << twice;
}

TEST(LoadConfig, refuses_what_cannot_steer) {
  EXPECT_NE(error_of(with("steering: {mode: nominat}\n")).find("did you mean \"nominate\""),
            std::string::npos)
      << error_of(with("steering: {mode: nominat}\n"));
  const std::string slow = error_of(with("leaderElection: {renewDeadline: 15s}\n"));
  EXPECT_NE(slow.find("`renewDeadline` is not below `leaseDuration`"), std::string::npos) << slow;
  EXPECT_NE(error_of(with("kubeAPI: {qps: 0}\n")), "");
}

// The ranges in the document are those of the loader: both accept the ends and refuse values
// beyond.
TEST(ConfigurationDocument, has_the_ranges_of_durations_that_the_loader_has) {
  int ranges = 0;
  for (const ConfigKey& key : config_keys()) {
    constexpr std::string_view kKind = "duration, ";
    const std::string type(key.type);
    if (!type.starts_with(kKind)) {
      EXPECT_NE(type, "duration") << key.name << " has no range";
      continue;
    }
    ++ranges;
    const std::size_t to = type.find(" to ");
    const Duration least = *parse_duration(type.substr(kKind.size(), to - kKind.size()));
    const Duration most = *parse_duration(type.substr(to + 4));
    const auto is_refused = [&](Duration duration) {
      const std::string entry = std::string(key.name) + ": " + format_duration(duration);
      const bool is_nested = !key.section.empty();
      const std::string error = error_of(
          with(is_nested ? std::string(key.section) + ": {" + entry + "}\n" : entry + "\n"));
      return error.find("expected " + format_duration(least) + " to ") != std::string::npos;
    };
    const Duration little{1};
    EXPECT_FALSE(is_refused(least)) << key.name;
    EXPECT_FALSE(is_refused(most)) << key.name;
    EXPECT_TRUE(is_refused(least - little)) << key.name;
    EXPECT_TRUE(is_refused(most + little)) << key.name;
  }
  EXPECT_EQ(ranges, 12);
}

TEST(ConfigurationDocument, lists_exactly_the_keys_that_the_loader_knows) {
  EXPECT_NE(contents("docs/configuration.md").find(render_key_table()), std::string::npos)
      << "put this into docs/configuration.md:\n"
      << render_key_table();
}
}  // namespace
}  // namespace berth::conf::config_test
