#include "tools/live/live_queues.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "berth/base/text.h"
#include "kube/codecs.h"
#include "tools/live/live_jobs.h"
#include "views/document_head.h"
#include "views/queue_document.h"
#include "views/text_table.h"

namespace berth::tools {

namespace {

using views::QueueTable;

const Resource kQueues{"scheduling.volcano.sh", "v1beta1", "queues"};

views::RowAmounts amounts_of(const QueueObject& queue) {
  return {{&QueueTable::written, queue.guarantee},
          {&QueueTable::guarantee, queue.written.guarantee},
          {&QueueTable::deserved, queue.written.deserved},
          {&QueueTable::allocated, queue.written.allocated},
          {&QueueTable::real_capability, queue.written.real_capability}};
}

// Parents before children, children by name. A parent that is not there, or a ring, makes a root.
class Tree {
 public:
  explicit Tree(const std::vector<QueueObject>& queues) {
    std::set<std::string> names;
    for (const QueueObject& queue : queues) names.insert(queue.name);
    for (const QueueObject& queue : queues) {
      const bool has_parent = names.contains(queue.parent) && queue.parent != queue.name;
      children_[has_parent ? queue.parent : ""][queue.name] = &queue;
    }
    place("", QueueTable::kNoParent, 0);
    for (const QueueObject& queue : queues) {
      if (!placed_.contains(queue.name)) add(queue, QueueTable::kNoParent, 0);
    }
  }

  struct Place {
    const QueueObject* queue;
    std::uint32_t parent;
    std::uint32_t depth;
    bool has_children = false;
  };
  const std::vector<Place>& places() const { return places_; }

 private:
  void place(const std::string& parent, std::uint32_t row, std::uint32_t depth) {
    for (const auto& [name, queue] : children_[parent]) add(*queue, row, depth);
  }
  void add(const QueueObject& queue, std::uint32_t parent, std::uint32_t depth) {
    if (!placed_.insert(queue.name).second) return;
    const auto row = static_cast<std::uint32_t>(places_.size());
    places_.push_back({&queue, parent, depth, !children_[queue.name].empty()});
    place(queue.name, row, depth + 1);
  }

  std::map<std::string, std::map<std::string, const QueueObject*>> children_;
  std::set<std::string> placed_;
  std::vector<Place> places_;
};

QueueTable::Row row_of(const Tree::Place& place) {
  const QueueObject& queue = *place.queue;
  const WrittenQueueStatus& written = queue.written;
  QueueTable::Row row;
  row.name = queue.name;
  row.uid = queue.uid;
  row.parent = place.parent;
  row.depth = place.depth;
  row.has_children = place.has_children;
  row.state = queue.state;
  row.fault = queue.fault;
  if (written.ready.reason == "Faulty") row.fault = written.ready.message;
  if (written.ready.reason == "ParentNotOpen") row.closed_above = written.ready.message;
  row.is_scaled = written.scaled.holds;
  row.is_reclaimable = queue.reclaimable;
  row.is_fifo = queue.is_fifo;
  if (!written.honoured.reason.empty()) row.notes.push_back(written.honoured.message);
  row.weight = queue.weight;
  row.priority = queue.priority;
  row.groups = {written.pending, written.inqueue, written.running, written.unknown,
                written.completed};
  row.jobs = row.groups;
  if (!written.reserved.reason.empty()) {
    row.notes.push_back(
        "nodes of its own: " +
        (written.reserved_nodes.empty() ? "none" : first_names(written.reserved_nodes)) +
        (written.reserved.message.empty() ? "" : "; " + written.reserved.message));
  }
  return row;
}

// The jobs of a namespace by queue.
struct Tally {
  std::int32_t waiting = 0;
  std::int32_t running = 0;
  std::int32_t done = 0;
};

std::map<std::string, Tally> tally(const std::vector<LiveJob>& jobs, const std::string& queue) {
  std::map<std::string, Tally> tallies;
  for (const LiveJob& job : jobs) {
    if (!queue.empty() && job.queue != queue) continue;
    Tally& of = tallies[job.queue];
    of.waiting += job.state == JobState::waits || job.state == JobState::without_pods ? 1 : 0;
    of.running += job.state == JobState::runs ? 1 : 0;
    of.done += job.state == JobState::done ? 1 : 0;
  }
  return tallies;
}

std::string tally_json(const std::string& name_space, const std::map<std::string, Tally>& tallies,
                       const std::string& note) {
  nlohmann::ordered_json json = views::document_of_kind("QueuesOfNamespace");
  json["namespace"] = name_space;
  json["note"] = note;
  json["queues"] = nlohmann::ordered_json::array();
  for (const auto& [queue, of] : tallies) {
    json["queues"].push_back(
        {{"queue", queue}, {"waiting", of.waiting}, {"running", of.running}, {"done", of.done}});
  }
  return views::document_text(json);
}

Result<int> show_namespace(ApiReader& reader, const std::string& queue, const std::string& refusal,
                           Form form, Console& console) {
  const std::string name_space = reader.name_space();
  const LiveJobs found = read_jobs(reader, name_space, {});
  say(refusal, console.err);
  if (found.refusal != Refusal::none) {
    say(found.message, console.err);
    return found.refusal == Refusal::forbidden ? kExitForbidden : kExitBadInput;
  }
  const auto tallies = tally(found.jobs, queue);
  if (form == Form::json) return finish(tally_json(name_space, tallies, refusal), console);
  console.err << "note: these are the queues of the jobs in namespace " << name_space << "\n";
  views::TextTable table({"QUEUE", "WAITING", "RUNNING", "DONE"});
  for (const auto& [name, of] : tallies) {
    table.add({name.empty() ? "-" : name, std::to_string(of.waiting), std::to_string(of.running),
               std::to_string(of.done)});
  }
  return finish(table.render(style_of(form, console)), console);
}

}  // namespace

QueueTable table_of_queues(const std::vector<document::Value>& objects) {
  std::vector<QueueObject> queues;
  for (const document::Value& object : objects) {
    auto queue = kube::decode_queue_with_fault(object, "the API server");
    if (queue) queues.push_back(std::move(*queue));
  }
  const Tree tree(queues);
  QueueTable table;
  table.is_partial = true;
  NamedAmounts most;
  std::vector<views::RowAmounts> amounts;
  for (const Tree::Place& place : tree.places()) {
    table.rows.push_back(row_of(place));
    table.is_divided = table.is_divided || !place.queue->written.real_capability.empty();
    for (const auto& [field, of_queue] : amounts.emplace_back(amounts_of(*place.queue))) {
      for (const auto& [resource, amount] : of_queue) {
        most[resource] = std::max(most[resource], amount);
      }
    }
  }
  views::fill_amounts(most, amounts, table);
  return table;
}

Result<int> show_live_queues(const KubeFlags& flags, const std::string& queue, Form form,
                             Console& console, const std::function<Result<int>(QueueTable)>& show) {
  const auto reader = ApiReader::open(flags);
  if (!reader) return reader.error();
  const Objects queues =
      (*reader)->list(kQueues, "", "", {.role = "berth-queues-view", .is_for_cluster = true});
  if (queues.ok()) return show(table_of_queues(queues.items));
  if (queues.refusal == Refusal::forbidden) {
    return show_namespace(**reader, queue, queues.message, form, console);
  }
  say(queues.message + (queues.refusal == Refusal::not_found
                            ? ", expected Berth's definitions there (deploy/crds)"
                            : ""),
      console.err);
  return kExitBadInput;
}

}  // namespace berth::tools
