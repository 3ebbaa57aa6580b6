#include "berth/model/terms.h"

#include <algorithm>

#include "berth/base/check.h"
#include "berth/base/look_up.h"

namespace berth {

namespace {

// A pod's own selector stands for the namespaces that are listed when it is tried; that of a pod
// that is there is asked about labels, of which an unlisted namespace has none
// (docs/design/pod-affinity.md, odd cases).
bool selects(const PodTerm& term, bool is_own, std::string_view name_space,
             const NamespaceLabels& namespaces) {
  if (term.of_namespaces.empty()) return true;
  const auto* const labels = find_value(namespaces, name_space);
  if (labels != nullptr) return all_hold(term.of_namespaces, *labels);
  return !is_own && all_hold(term.of_namespaces, LabelsByKey());
}

bool is_in_its_namespaces(const PodTerm& term, TermRole role, std::string_view name_space,
                          const NamespaceLabels& namespaces) {
  if (std::binary_search(term.namespaces.begin(), term.namespaces.end(), name_space)) return true;
  return term.selects_namespaces && selects(term, !counts_holders(role), name_space, namespaces);
}

bool matches(const PodSelector& selector, LabelSetId labels, const LabelTable& table) {
  return !selector.matches_nothing &&
         all_hold(selector.all, [&](const std::string& key) { return table.find(labels, key); });
}

bool selects_namespaces(const TermSpec& spec) {
  return std::any_of(spec.pods.begin(), spec.pods.end(),
                     [](const PodTerm& term) { return term.selects_namespaces; });
}

}  // namespace

bool matches(const TermSpec& term, std::string_view name_space, LabelSetId labels,
             const LabelTable& table, const NamespaceLabels& namespaces) {
  return std::all_of(term.pods.begin(), term.pods.end(), [&](const PodTerm& each) {
    return matches(each.pods, labels, table) &&
           is_in_its_namespaces(each, term.role, name_space, namespaces);
  });
}

NarrowLabel narrowest(const TermSpec& term) {
  NarrowLabel found;
  const auto consider = [&found](std::string_view key, const std::vector<std::string>& values) {
    if (found.values == nullptr || values.size() < found.values->size()) found = {key, &values};
  };
  for (const PodTerm& pods : term.pods) {
    for (const Expression& each : pods.pods.all) {
      if (each.op == Operator::in) consider(each.key, each.values);
    }
  }
  if (found.values != nullptr) return found;
  for (const PodTerm& pods : term.pods) {
    if (!pods.selects_namespaces) consider(kNamespaceOfSet, pods.namespaces);
  }
  return found;
}

Counted& Counted::operator+=(const Counted& other) {
  there += other.there;
  leaving += other.leaving;
  promised += other.promised;
  staying += other.staying;
  return *this;
}

Counted TermCounts::at(DomainId domain) const {
  if (!many_.empty()) return domain.index() < many_.size() ? many_[domain.index()] : Counted();
  return value_or(few_, domain);
}

void TermCounts::add(DomainId domain, const Counted& change) {
  total_ += change;
  ++version_;
  end_ = std::max(end_, domain.index() + 1);
  if (!many_.empty()) {
    if (domain.index() >= many_.size()) many_.resize(end_);
    Counted& here = many_[domain.index()];
    const bool was_zero = here.is_zero();
    here += change;
    if (was_zero != here.is_zero()) was_zero ? ++count_ : --count_;
    if (count_ == 0) many_ = std::vector<Counted>();
    return;
  }
  const auto here = few_.try_emplace(domain).first;
  here->second += change;
  if (here->second.is_zero()) few_.erase(here);
  count_ = few_.size();
  // An entry of the map takes the room of three.
  constexpr std::size_t kFew = 32;
  if (count_ > kFew && count_ * 3 > end_) spread_out(end_);
}

void TermCounts::spread_out(std::size_t domains) {
  many_.resize(domains);
  for (const auto& [domain, counted] : few_) many_[domain.index()] = counted;
  few_ = decltype(few_)();
}

void TermCounts::clear() {
  const std::uint64_t version = version_;
  *this = TermCounts();
  version_ = version + 1;
}

TermTable::Taken TermTable::take(const TermSpec& spec, TopologyKeyId key) {
  const auto [entry, is_new] = id_by_spec_.try_emplace(spec);
  if (!is_new) {
    use_again(entry->second);
    return {entry->second, false};
  }
  entry->second = free_.take_in(terms_);
  terms_[entry->second.index()] = {spec, key, 1, {}};
  index(entry->second, true);
  return {entry->second, true};
}

void TermTable::remove(TermId id) {
  BERTH_CHECK(at(id).uses == 0);
  index(id, false);
  id_by_spec_.erase(at(id).spec);
  terms_[id.index()] = Term();
  free_.add(id);
}

void TermTable::trim() {
  free_.trim(terms_, [](const Term& term) { return term.uses == 0; });
}

void TermTable::index(TermId id, bool is_there) {
  const TermSpec& spec = at(id).spec;
  if (selects_namespaces(spec))
    is_there ? ++with_namespace_selectors_ : --with_namespace_selectors_;
  const NarrowLabel label = narrowest(spec);
  if (label.values == nullptr) {
    if (is_there) others_.push_back(id);
    if (!is_there) std::erase(others_, id);
    return;
  }
  for (const std::string& value : *label.values) {
    const std::size_t hash = LabelTable::hash_of(label.key, value);
    if (is_there) by_label_.emplace(hash, id);
    if (!is_there) erase_entry(by_label_, hash, id);
  }
}

std::vector<TermId> TermTable::matching(std::string_view name_space, LabelSetId labels,
                                        const LabelTable& table,
                                        const NamespaceLabels& namespaces) const {
  std::vector<TermId> found;
  if (!labels.is_valid() || size() == 0) return found;
  const auto consider = [&](TermId id) {
    if (matches(at(id).spec, name_space, labels, table, namespaces)) found.push_back(id);
  };
  for (const TermId id : others_) consider(id);
  table.each_label(labels, [&](const std::string& key, const std::string& value) {
    const auto [first, last] = by_label_.equal_range(LabelTable::hash_of(key, value));
    for (auto each = first; each != last; ++each) consider(each->second);
  });
  sort_once(found);  // two values of one term may have one hash
  return found;
}

}  // namespace berth
