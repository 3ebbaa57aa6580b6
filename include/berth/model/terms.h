#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/free_ids.h"
#include "berth/base/strong_id.h"
#include "berth/model/labels.h"
#include "berth/model/relations.h"

// Terms: which pods count, and by which label of their nodes. docs/design/constraints.md.

namespace berth {

enum class TermRole : std::uint8_t {
  affinity,       // counts pods that match all terms of required affinity
  anti_affinity,  // counts pods that match a term of anti-affinity
  held,           // counts the pods that have such a term; it matches the pods that they refuse
  spread,         // counts pods that match a spread
  // Those of preferences refuse nobody.
  preferred,         // counts pods that match a preferred term
  preferred_spread,  // counts pods that match a spread of ScheduleAnyway
  draws,             // counts the pods that have such a term; it matches those that it draws
};

// Terms that all must match. Copies share them.
class PodTerms {
 public:
  PodTerms() : PodTerms(std::vector<PodTerm>()) {}
  PodTerms(std::vector<PodTerm> all)
      : all_(std::make_shared<const std::vector<PodTerm>>(std::move(all))) {}
  PodTerms(std::initializer_list<PodTerm> all) : PodTerms(std::vector<PodTerm>(all)) {}
  auto begin() const { return all_->begin(); }
  auto end() const { return all_->end(); }
  std::strong_ordering operator<=>(const PodTerms& other) const {
    return all_ == other.all_ ? std::strong_ordering::equal : *all_ <=> *other.all_;
  }
  bool operator==(const PodTerms& other) const { return (*this <=> other) == 0; }

 private:
  std::shared_ptr<const std::vector<PodTerm>> all_;  // never null
};

struct TermSpec {
  TermRole role = TermRole::affinity;
  PodTerms pods;  // a pod must match each; their topology keys are empty
  std::string topology_key;
  NodeSetId nodes = {};     // invalid: all nodes
  std::int32_t weight = 0;  // of role `draws`; negative: it keeps them away
  auto operator<=>(const TermSpec&) const = default;
};

inline bool is_preference(TermRole role) {
  return role == TermRole::preferred || role == TermRole::preferred_spread ||
         role == TermRole::draws;
}
// Does it count the pods that have it, and not those that match it?
inline bool counts_holders(TermRole role) {
  return role == TermRole::held || role == TermRole::draws;
}

// The labels of namespaces, by name.
using NamespaceLabels = std::map<std::string, std::map<std::string, std::string>, std::less<>>;
using NamespaceLabelsOf = std::optional<std::map<std::string, std::string>>;  // none: not listed

// AFFINITY-1. Does a pod of this namespace, with these labels, match?
bool matches(const TermSpec& term, std::string_view name_space, LabelSetId labels,
             const LabelTable& table, const NamespaceLabels& namespaces);

// Pods in one domain, by what they do there.
struct Counted {
  std::int32_t there = 0;     // they have a place
  std::int32_t leaving = 0;   // of these, those that leave
  std::int32_t promised = 0;  // they were promised room being vacated
  std::int32_t staying = 0;   // of those there, those that never leave

  Counted& operator+=(const Counted& other);
  bool is_zero() const { return *this == Counted(); }
  Counted operator-() const { return {-there, -leaving, -promised, -staying}; }
  bool operator==(const Counted&) const = default;
};

// The counts of one term, by domain. Most terms have pods in a few; then only these cost memory.
class TermCounts {
 public:
  Counted at(DomainId domain) const;
  const Counted& total() const { return total_; }
  void add(DomainId domain, const Counted& change);
  void clear();
  // Grows with each change.
  std::uint64_t version() const { return version_; }
  std::size_t domain_count() const { return count_; }  // of those with pods
  // Calls do_this(domain, counted) for each of these, in no order.
  template <class DoThis>
  void each(DoThis do_this) const {
    for (const auto& [domain, counted] : few_) do_this(domain, counted);
    for (std::size_t d = 0; d < many_.size(); ++d) {
      if (!many_[d].is_zero()) do_this(DomainId(d), many_[d]);
    }
  }

 private:
  void spread_out(std::size_t domains);

  // One of the two is empty.
  std::unordered_map<DomainId, Counted> few_;  // look-up only; none is zero
  std::vector<Counted> many_;                  // by domain
  std::size_t count_ = 0;
  std::size_t end_ = 0;  // one more than the highest domain that was counted
  Counted total_;
  std::uint64_t version_ = 0;
};

struct Term {
  TermSpec spec;
  TopologyKeyId key;
  std::uint32_t uses = 0;  // 0: there is no such term
  TermCounts counts;
};

// The terms in use. Equal specifications share one. Session thread only.
class TermTable {
 public:
  struct Taken {
    TermId id;
    bool is_new = false;
  };
  // The term, which is now in use once more.
  Taken take(const TermSpec& spec, TopologyKeyId key);
  void use_again(TermId id) { ++terms_[id.index()].uses; }
  // True if nothing uses it any more; then call remove().
  bool give_back(TermId id) { return --terms_[id.index()].uses == 0; }
  void remove(TermId id);

  const Term& at(TermId id) const { return terms_[id.index()]; }
  TermCounts& counts(TermId id) { return terms_[id.index()].counts; }
  std::size_t size() const { return id_by_spec_.size(); }
  std::size_t slots() const { return terms_.size(); }
  bool has_namespace_selectors() const { return with_namespace_selectors_ > 0; }
  void trim();

  // The terms that match such a pod, sorted.
  std::vector<TermId> matching(std::string_view name_space, LabelSetId labels,
                               const LabelTable& table, const NamespaceLabels& namespaces) const;

 private:
  void index(TermId id, bool is_there);

  std::vector<Term> terms_;
  FreeIds<TermId> free_;
  std::map<TermSpec, TermId> id_by_spec_;
  // By the hash of a label that each pod must have. Terms that require none are in `others_`.
  std::unordered_multimap<std::size_t, TermId> by_label_;  // look-up only
  std::vector<TermId> others_;
  std::size_t with_namespace_selectors_ = 0;
};

// The values of one label of which each pod that matches has one, by its label set: those of the
// requirement that fewest satisfy. Else the namespaces, where they are named.
struct NarrowLabel {
  std::string_view key;
  const std::vector<std::string>* values = nullptr;  // null: none is named
};
NarrowLabel narrowest(const TermSpec& term);

}  // namespace berth
