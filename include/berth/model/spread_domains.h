#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth {

// How many domains have each count. A step of one count costs a look-up.
class CountsOfDomains {
 public:
  void add(std::int32_t count) { ++domains_with_[count]; }
  // Of one domain that has been added.
  void move(std::int32_t from, std::int32_t to);
  // 0 if there are no domains.
  std::int32_t lowest() const { return domains_with_.empty() ? 0 : domains_with_.begin()->first; }
  // The lowest of all domains but one that has this count. None: there is no other domain.
  std::optional<std::int32_t> lowest_beside(std::int32_t count) const;

 private:
  std::map<std::int32_t, std::int32_t> domains_with_;
};

// The domains of a spread, whether pods are there or not, and the lowest of their counts. SPREAD-5.
class SpreadDomains {
 public:
  // A domain without pods. One that is known is ignored.
  void add(DomainId domain);
  void clear();
  std::size_t size() const { return size_; }
  bool has(DomainId domain) const {
    return domain.index() < is_known_.size() && is_known_[domain.index()];
  }
  const std::vector<bool>& by_domain() const { return is_known_; }

  // The pods of a domain: those that stay, and with them those that were promised room.
  struct Pods {
    std::int32_t stay = 0;
    std::int32_t stay_or_come = 0;
  };
  void move(const Pods& from, const Pods& to);
  std::int32_t lowest_that_stay() const { return stay_.lowest(); }
  std::int32_t lowest_that_stay_or_come() const { return stay_or_come_.lowest(); }

 private:
  std::vector<bool> is_known_;  // by domain
  std::size_t size_ = 0;
  CountsOfDomains stay_;
  CountsOfDomains stay_or_come_;
};

}  // namespace berth
