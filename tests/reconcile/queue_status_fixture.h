#pragma once

#include "plugins/proportion/queue_division.h"
#include "reconcile/queue_status.h"
#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {

using Lines = std::vector<std::string>;
using std::chrono::seconds;

class QueueStatusTest : public ReconcileTest {
 protected:
  void SetUp() override { mirror_.apply(make_node("n1", 10)); }

  static QueueObject queue(const std::string& name, std::int64_t cpu = 0) {
    QueueObject object;
    object.name = object.uid = name;
    if (cpu > 0) object.guarantee = {{"cpu", cpu * 1000}};
    return object;
  }
  // A gang of one in this queue, on the node.
  void run(const std::string& name, const std::string& queue, std::int64_t cpu) {
    PodGroupObject group = make_group(name, 1);
    group.queue = queue;
    mirror_.apply(group);
    mirror_.apply(running_on(make_member(name, 0, cpu), "n1"));
  }
  // The writes of a session now.
  RecordingWriter::Written round() {
    mirror_.settle(now_);
    if (is_divided_) plan_.shares = share();
    auto table = views::make_queue_table(mirror_.cluster(), plan_, tree_);
    if (queues_ == nullptr || *queues_ != table) {
      queues_ = std::make_shared<const views::QueueTable>(std::move(table));
      side_->announcer.announce_queues(*queues_);
    }
    return session(plan_);
  }
  RecordingWriter::Written round_after(Duration pause) {
    now_ += pause;
    return round();
  }
  // The same pointer as long as nothing changed, as the plugin does it.
  std::shared_ptr<const QueueShares> share() {
    tree_.refresh(mirror_.cluster());
    auto shares = plugins::QueueDivision().divide(mirror_.cluster(), tree_, false);
    return plan_.shares != nullptr && *plan_.shares == *shares ? plan_.shares : shares;
  }
  static const support::On<ports::QueueStatus>& status_of(const RecordingWriter::Written& written,
                                                          const std::string& name) {
    static const support::On<ports::QueueStatus> none{};
    for (const auto& each : written.queues) {
      if (each.object.name == name) return each;
    }
    ADD_FAILURE() << "no status of " << name;
    return none;
  }

  bool is_divided_ = true;
  engine::QueueTree tree_;
  Plan plan_;
};

}  // namespace berth::reconcile
