#include "world/faults.h"

#include <array>
#include <sstream>
#include <utility>

namespace berth::world {
namespace {

struct Named {
  const char* name;
  std::uint64_t Faults::*rate;
  std::uint64_t most;
};

constexpr std::array kFaults{
    Named{"lost-request", &Faults::lost_request, 30},
    Named{"lost-answer", &Faults::lost_answer, 30},
    Named{"conflict", &Faults::conflict, 50},
    Named{"throttled", &Faults::throttled, 50},
    Named{"failure", &Faults::failure, 50},
    Named{"slow", &Faults::slow, 50},
    Named{"cut", &Faults::cut, 20},
    Named{"piecemeal", &Faults::piecemeal, 200},
    Named{"compaction", &Faults::compaction, 50},
    Named{"berthd-kill", &Faults::berthd_kill, 15},
    Named{"berthd-stop", &Faults::berthd_stop, 15},
    Named{"berthd-freeze", &Faults::berthd_freeze, 15},
    Named{"scheduler-kill", &Faults::scheduler_kill, 15},
    Named{"node-change", &Faults::node_change, 60},
    Named{"autoscaler", &Faults::autoscaler, 1},
    Named{"queue-change", &Faults::queue_change, 30},
    Named{"job-change", &Faults::job_change, 60},
    Named{"pod-failure", &Faults::pod_failure, 100},
    Named{"refused-pod", &Faults::refused_pod, 100},
    Named{"refused-eviction", &Faults::refused_eviction, 300},
    Named{"budget", &Faults::budget, 500},
    Named{"hung-pod", &Faults::hung_pod, 50},
    Named{"clock-step", &Faults::clock_step, 15},
};

}  // namespace

Faults Faults::swarm(Agenda& dice) {
  Faults faults;
  for (const Named& each : kFaults) {
    const std::uint64_t rate = 1 + dice.below(each.most);
    if (dice.below(2) == 0) faults.*each.rate = rate;
  }
  return faults;
}

std::string Faults::names() const {
  std::string names;
  for (const Named& each : kFaults) {
    if (this->*each.rate == 0) continue;
    names += (names.empty() ? "" : " ") + std::string(each.name) + "=" +
             std::to_string(this->*each.rate);
  }
  return names;
}

Faults Faults::of(const std::string& names) {
  Faults faults;
  std::istringstream words(names);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    for (const Named& each : kFaults) {
      if (word.substr(0, equals) != each.name) continue;
      faults.*each.rate =
          equals == std::string::npos ? each.most : std::stoull(word.substr(equals + 1));
    }
  }
  return faults;
}

std::vector<std::string> Faults::on() const {
  std::vector<std::string> names;
  for (const Named& each : kFaults) {
    if (this->*each.rate != 0) names.emplace_back(each.name);
  }
  return names;
}

void Faults::turn_off(const std::string& name) {
  for (const Named& each : kFaults) {
    if (name == each.name) this->*each.rate = 0;
  }
}

Duration Network::hop() {
  if (agenda_.happens(faults.slow)) return agenda_.between(5ms, 2s);
  return agenda_.between(200us, 8ms);
}

Network::WriteFate Network::fate_of_write() {
  const std::array<std::pair<std::uint64_t, WriteFate>, 5> fates{
      {{faults.lost_request, WriteFate::lost_request},
       {faults.lost_answer, WriteFate::lost_answer},
       {faults.conflict, WriteFate::conflict},
       {faults.throttled, WriteFate::throttled},
       {faults.failure, WriteFate::failure}}};
  std::uint64_t dice = agenda_.below(1000);
  for (const auto& [rate, fate] : fates) {
    if (dice < rate) return fate;
    dice -= rate;
  }
  return WriteFate::done;
}

Network::Fate Network::fate_of_call() {
  if (agenda_.happens(faults.lost_request)) return Fate::lost_request;
  return agenda_.happens(faults.lost_answer) ? Fate::lost_answer : Fate::done;
}

}  // namespace berth::world
