#include "berth/engine/memory.h"

#include "berth/engine/session.h"

namespace berth::engine {

Ranking& Memory::ranking(Session& session, ShapeId shape) {
  if (shape.index() >= rankings_.size()) rankings_.resize(session.cluster().shape_count());
  auto& ranking = rankings_[shape.index()];
  const bool is_new = ranking == nullptr;
  if (is_new) ranking = std::make_unique<Ranking>(shape);
  ranking->last_use = ++uses_;
  const std::size_t before = ranking->bytes();
  ranking->catch_up(session);
  ranking_bytes_ += ranking->bytes() - before;
  if (ranking_bytes_ > kRankingBytesMax) drop_least_recent(shape);
  return *ranking;
}

void Memory::drop_least_recent(ShapeId keep) {
  while (ranking_bytes_ > kRankingBytesMax) {
    std::unique_ptr<Ranking>* oldest = nullptr;
    for (std::size_t s = 0; s < rankings_.size(); ++s) {
      auto& each = rankings_[s];
      if (each == nullptr || ShapeId(s) == keep) continue;
      if (oldest == nullptr || each->last_use < (*oldest)->last_use) oldest = &each;
    }
    if (oldest == nullptr) return;
    ranking_bytes_ -= (*oldest)->bytes();
    oldest->reset();
  }
}

}  // namespace berth::engine
