#include "berth/model/spread_domains.h"

#include "berth/base/check.h"

namespace berth {

void CountsOfDomains::move(std::int32_t from, std::int32_t to) {
  if (from == to) return;
  const auto at = domains_with_.find(from);
  BERTH_CHECK(at != domains_with_.end());
  if (--at->second == 0) domains_with_.erase(at);
  ++domains_with_[to];
}

std::optional<std::int32_t> CountsOfDomains::lowest_beside(std::int32_t count) const {
  auto at = domains_with_.begin();
  if (at != domains_with_.end() && at->first == count && at->second == 1) ++at;
  return at == domains_with_.end() ? std::nullopt : std::optional<std::int32_t>(at->first);
}

void SpreadDomains::add(DomainId domain) {
  if (is_known_.size() <= domain.index()) is_known_.resize(domain.index() + 1);
  if (has(domain)) return;
  is_known_[domain.index()] = true;
  ++size_;
  stay_.add(0);
  stay_or_come_.add(0);
}

void SpreadDomains::clear() { *this = SpreadDomains(); }

void SpreadDomains::move(const Pods& from, const Pods& to) {
  stay_.move(from.stay, to.stay);
  stay_or_come_.move(from.stay_or_come, to.stay_or_come);
}

}  // namespace berth
