#include "support/scenario.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "berth/base/text.h"
#include "support/expectation.h"

namespace berth::support {

namespace {

// `eviction-limit ...`
void read_eviction_limits(SceneLine& line, engine::SessionConfig& config) {
  const auto read = [&](const char* key) -> engine::EvictionLimit {
    if (!line.has(key)) return {1, 100};
    return {line.number_of(key, 1), line.number_of(std::string(key) + "-percent", 0)};
  };
  config.eviction_limits = {read("cluster"), read("queue")};
}

// Plays the lines of one scenario, once.
class Play {
 public:
  Play(std::uint64_t seed, std::vector<NamedPlan>& plans)
      : seed_(seed), random_(seed), plans_(plans), config_(default_session_config()) {}

  // Empty, or the error in the line or in its effect.
  std::string line(SceneLine line) {
    const std::string& verb = line.word(0);
    if (verb == "actions" || verb == "tiers") {
      if (world_) return "\"" + verb + "\" must stand before everything else";
      const Status read =
          verb == "actions" ? read_actions(line, config_) : read_tiers(line, config_);
      return read ? "" : read.error().message;
    }
    if (verb == "eviction-limit") {
      if (world_) return "\"" + verb + "\" must stand before everything else";
      return read_eviction_limits(line, config_), line.fault();
    }
    if (std::string fault = ensure_world(); !fault.empty()) return fault;
    if (is_change(line)) return note(line);
    bring_in_changes();
    if (verb == "run") return session([this] { world_->run(); });
    if (verb == "plan") return session([this] { world_->plan(); });
    if (verb == "restart") return world_->restart(), "";
    if (verb == "settled") return settled();
    if (verb == "time") return time(line);
    if (verb == "expect") return check_expectation(line, *world_);
    return "unknown word \"" + verb +
           "\"; expected an object, run, plan, restart, settled, time, expect";
  }

  std::string plan() const { return world_ ? world_->last_plan().to_string() : ""; }

 private:
  std::string ensure_world() {
    if (world_) return "";
    auto world = World::create(config_);
    if (!world) return world.error().to_string();
    world_ = std::move(world).value();
    if (seed_ != 0) world_->shuffle_with(seed_);
    return "";
  }

  std::string note(SceneLine& line) {
    auto changes = read_changes(line, world_->now());
    if (!changes) return changes.error().message;
    for (Change& change : *changes) changes_.push_back(std::move(change));
    return "";
  }

  // Shuffled, except for changes of one key.
  void bring_in_changes() {
    if (seed_ != 0) {
      std::vector<std::string> keys;
      for (const Change& change : changes_) keys.push_back(change.key);
      shuffle(keys, random_);
      std::vector<Change> shuffled;
      for (const std::string& key : keys) {
        const auto next = std::find_if(changes_.begin(), changes_.end(),
                                       [&](const Change& each) { return each.key == key; });
        shuffled.push_back(std::move(*next));
        next->key.clear();
      }
      changes_ = std::move(shuffled);
    }
    for (const Change& change : changes_) change.apply(*world_);
    changes_.clear();
    world_->mirror().settle(world_->now());
  }

  template <class Step>
  std::string session(Step step) {
    step();
    plans_.push_back(world_->last_plan());
    return world_->faults().empty() ? "" : "a law is broken: " + world_->faults().front();
  }

  std::string settled() {
    for (int i = 0; i < 5; ++i) {
      world_->advance(std::chrono::seconds(1));
      if (std::string fault = session([this] { world_->run(); }); !fault.empty()) return fault;
      const NamedPlan& now = world_->last_plan();
      if (!now.changes_nothing()) return "not settled: cycle " + std::to_string(i + 1) + " acts";
      if (i > 0 && (now.pipelined != before_.pipelined || now.refusals != before_.refusals)) {
        return "not settled: cycle " + std::to_string(i + 1) + " plans otherwise than before";
      }
      before_ = now;
    }
    return "";
  }

  std::string time(SceneLine& line) {
    const std::string text = line.word(1);
    const bool is_back = text.starts_with("-");
    const auto by = parse_duration(is_back || text.starts_with("+") ? text.substr(1) : text);
    if (!by) return by.error().message;
    world_->advance(is_back ? -*by : *by);
    return "";
  }

  std::uint64_t seed_;
  Random random_;
  std::vector<NamedPlan>& plans_;
  engine::SessionConfig config_;
  std::unique_ptr<World> world_;
  std::vector<Change> changes_;
  NamedPlan before_;
};

}  // namespace

Result<Scenario> Scenario::read(const std::string& file) {
  std::ifstream in(file);
  if (!in) return Error{"cannot be read", file};
  std::stringstream text;
  text << in.rdbuf();
  return parse(text.str(), file);
}

Result<Scenario> Scenario::parse(std::string_view text, const std::string& name) {
  Scenario scenario;
  std::istringstream in{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    SceneLine read(line, name + ":" + std::to_string(number));
    if (!read.is_empty()) scenario.lines_.push_back(std::move(read));
  }
  if (scenario.lines_.empty()) return Error{"no line says anything", name};
  return scenario;
}

std::string Scenario::play(std::uint64_t seed, std::vector<NamedPlan>& plans) const {
  Play play(seed, plans);
  for (const SceneLine& line : lines_) {
    const std::string fault = play.line(line);
    if (fault.empty()) continue;
    return line.where() + ": " + fault + "\n  in: " + line.text() + "\nlast plan:\n" + play.plan();
  }
  return "";
}

std::string play_in_many_orders(const Scenario& scenario) {
  std::vector<NamedPlan> plans;
  if (std::string fault = scenario.play(0, plans); !fault.empty()) return fault;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::string order = "events in order " + std::to_string(seed) + ": ";
    std::vector<NamedPlan> others;
    if (std::string fault = scenario.play(seed, others); !fault.empty()) return order + fault;
    for (std::size_t p = 0; p < plans.size(); ++p) {
      if (others[p] == plans[p]) continue;
      return order + "plan " + std::to_string(p + 1) + " is another:\n" + others[p].to_string() +
             "instead of:\n" + plans[p].to_string();
    }
  }
  return "";
}

}  // namespace berth::support
