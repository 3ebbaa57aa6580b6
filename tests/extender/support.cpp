#include "extender/support.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <utility>
#include <variant>

#include "support/checkout.h"

namespace berth::extender::test {
namespace {

void replace(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string testdata(std::string_view file) {
  std::ifstream stream(support::source_file("tests/extender/testdata/" + std::string(file)));
  std::ostringstream text;
  text << stream.rdbuf();
  return padded(text.str());
}

std::string pod_json(std::string_view name, std::string_view scheduler,
                     std::string_view nominated) {
  std::string text = testdata("pod.json");
  replace(text, "@NAME@", name);
  replace(text, "@SCHEDULER@", scheduler);
  replace(text, "@NOMINATED@", nominated);
  return text;
}

std::string uid_of(std::string_view name) { return fmt::format("uid-{}", name); }

std::string node_name(int index) {
  return fmt::format("worker-{:05}.zone-{}.example", index, static_cast<char>('a' + index % 3));
}

std::vector<std::string> node_names(int count) {
  std::vector<std::string> names;
  for (int index = 0; index < count; ++index) names.push_back(node_name(index));
  return names;
}

std::string filter_body(std::string_view pod, const std::vector<std::string>& names) {
  std::string body = fmt::format(R"({{"Pod":{},"Nodes":null,"NodeNames":[)", pod);
  for (const std::string& name : names) body += fmt::format(R"("{}",)", name);
  if (!names.empty()) body.pop_back();
  return padded(body + "]}");
}

std::string full_nodes_body(std::string_view pod, const std::vector<std::string>& names) {
  std::string body = fmt::format(R"({{"Pod":{},"Nodes":{{"metadata":{{}},"items":[)", pod);
  for (const std::string& name : names) {
    body += fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"a":"b"}}}},"spec":{{}},)"
                        R"("status":{{"capacity":{{"cpu":"8"}},"images":[{{"sizeBytes":12}}]}}}},)",
                        name);
  }
  if (!names.empty()) body.pop_back();
  return padded(body + R"(]},"NodeNames":null})");
}

std::string bind_body(std::string_view name, std::string_view node) {
  return padded(fmt::format(
      R"({{"PodName":"{}","PodNamespace":"ns","PodUID":"uid-{}","Node":"{}"}})", name, name, node));
}

std::string padded(std::string_view text) {
  std::string body;
  body.reserve(text.size() + 64);
  body = text;
  return body;
}

PlanBuilder::PlanBuilder(bool ready) {
  table_.ready = ready;
  table_.managed_schedulers = {"berth"};
}

PlanBuilder& PlanBuilder::gang(const std::string& job, int size, int min_member, int bound) {
  const auto planned = std::make_shared<const ports::PlannedGang>(
      ports::PlannedGang{"ns/" + job, min_member, bound});
  for (int index = 0; index < size; ++index) {
    const std::string name = fmt::format("{}-{}", job, index);
    table_.pods[uid_of(name)] = {"ns/" + name, node_name(index), planned, false};
  }
  return *this;
}

PlanBuilder& PlanBuilder::pod(const std::string& name, const std::string& node, bool is_hint,
                              const std::string& job) {
  std::shared_ptr<const ports::PlannedGang> gang;
  if (!job.empty()) gang = std::make_shared<const ports::PlannedGang>(ports::PlannedGang{job});
  table_.pods[uid_of(name)] = {"ns/" + name, node, gang, is_hint};
  return *this;
}

PlanBuilder& PlanBuilder::room(const std::string& node, NamedAmounts left) {
  ports::RoomLeft& room = table_.room_left;
  if (room.resources.empty()) room.resources = {"cpu", "memory", "pods", "a.example/gpu"};
  room.rows[node] = static_cast<std::uint32_t>(room.amounts.size() / room.resources.size());
  for (const std::string& resource : room.resources) room.amounts.push_back(left[resource]);
  return *this;
}

PlanBuilder& PlanBuilder::lock(const std::string& node, const std::string& job) {
  table_.locks[node] = job;
  return *this;
}

PlanBuilder& PlanBuilder::keep_for_queue(const std::string& node, const std::string& queue) {
  table_.queue_nodes[node] = queue;
  return *this;
}

PlanBuilder& PlanBuilder::in_queues(const std::string& pod,
                                    const std::vector<std::string>& queues) {
  auto& gang = table_.pods.at(uid_of(pod)).gang;
  ports::PlannedGang changed = gang == nullptr ? ports::PlannedGang() : *gang;
  changed.queues = queues;
  gang = std::make_shared<const ports::PlannedGang>(std::move(changed));
  return *this;
}

PlanBuilder& PlanBuilder::without(const std::string& pod) {
  table_.pods.erase(uid_of(pod));
  return *this;
}

PlanBuilder& PlanBuilder::under(const ports::Leadership& leadership, std::uint64_t epoch) {
  table_.term = ports::Term(&leadership, epoch);
  return *this;
}

PlanBuilder& PlanBuilder::claim(const std::string& node) {
  table_.claimed_nodes.insert(node);
  return *this;
}

PlanBuilder& PlanBuilder::guarded(const std::string& job, const ports::GuardedGang& gang) {
  const auto index = static_cast<std::uint32_t>(guarded_.size());
  guarded_.emplace(job, index);
  gangs_.grow(index + 1);
  gangs_.change(index) = gang;
  return *this;
}

PlanBuilder& PlanBuilder::running(const std::string& pod, const std::string& node,
                                  const std::string& job, std::uint16_t role) {
  members_[node].add(uid_of(pod), guarded_.at(job), role);
  return *this;
}

std::shared_ptr<const ports::PlanTable> PlanBuilder::build() const {
  auto table = std::make_shared<ports::PlanTable>(table_);
  ports::ByText<std::uint32_t> rows;
  ports::SharedArrayWriter<std::shared_ptr<const ports::GuardedMembers>> nodes;
  nodes.grow(members_.size());
  for (const auto& [node, members] : members_) {
    const auto row = static_cast<std::uint32_t>(rows.size());
    nodes.change(row) = std::make_shared<const ports::GuardedMembers>(members);
    rows.emplace(node, row);
  }
  auto gangs = gangs_;
  table->guard = std::make_shared<const ports::GuardTable>(
      ports::GuardTable{std::make_shared<const ports::ByText<std::uint32_t>>(std::move(rows)),
                        nodes.share(), gangs.share()});
  return table;
}

ports::Binding binding_of(const std::string& pod, const std::string& node) {
  return {"ns", pod, uid_of(pod), node};
}

void RecordingBinder::bind(const ports::Binding& binding,
                           std::function<void(ports::BindOutcome)> done) {
  {
    const std::lock_guard lock(mutex_);
    ++count_;
    if (!succeeds_) return asked_.push_back({binding, std::move(done)});
  }
  done({true, ""});
}

std::size_t RecordingBinder::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

std::vector<RecordingBinder::Asked> RecordingBinder::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(asked_, {});
}

void RecordingEvents::post(ClusterEvent event) {
  const std::lock_guard lock(mutex_);
  dropped_.push_back(std::get<PlacementDropped>(event));
}

std::vector<PlacementDropped> RecordingEvents::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::size_t Dice::below(std::size_t bound) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return static_cast<std::size_t>(state_ % bound);
}

}  // namespace berth::extender::test
