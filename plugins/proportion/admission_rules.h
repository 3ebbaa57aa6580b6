#pragma once

#include <cstdint>
#include <memory>

#include "berth/engine/session.h"
#include "plugins/proportion/queue_division.h"

namespace berth::plugins {

// The votes on admission: rule PROPORTION-2 of docs/design/proportion.md, and TALLY-6 of
// docs/design/enqueue.md. `shares` are those of the plugin proportion, as they are at each
// question.
class AdmissionRules {
 public:
  void attach(engine::Session& session, const std::shared_ptr<const QueueShares>& shares,
              bool lends);

 private:
  engine::Vote is_within_capability(const Job& job);
  engine::Verdict is_entitled(const Job& job, const Resources& in_all);

  bool is_bounded(std::size_t at, Dimension d) const;
  const QueueShares& shares_with_groups();

  engine::Session* session_ = nullptr;
  const std::shared_ptr<const QueueShares>* shares_ = nullptr;
  bool lends_ = false;
  QueueDivision division_;
  std::shared_ptr<const QueueShares> with_groups_;
  std::shared_ptr<const QueueShares> known_for_;  // the shares that they go with
};

}  // namespace berth::plugins
