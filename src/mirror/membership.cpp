#include "mirror/membership.h"

#include <algorithm>
#include <limits>

#include "berth/base/dns_name.h"
#include "berth/base/hash.h"
#include "berth/base/number.h"
#include "berth/base/printable.h"

namespace berth::mirror {

namespace {

struct Wish {
  const GangWish* wish = nullptr;
  std::string from;  // "Job ml/train"
};

// OWNED-4. The owner's wish comes first: it can be changed while pods are there.
Wish wish_of(const PodObject& pod, const Owners::Chain& chain) {
  if (chain.object != nullptr && !chain.object->gang.is_none()) {
    return {&chain.object->gang, chain.object->text()};
  }
  for (const auto* objects : {&chain.above, &chain.below}) {
    for (const OwnerObject* each : *objects) {
      if (!each->gang.is_none()) return {&each->gang, each->text()};
    }
  }
  if (pod.gang.is_none()) return {};
  return {&pod.gang, "Pod " + pod.full_name()};
}

std::string shown(const std::string& text) {
  constexpr std::size_t kShown = 40;
  return "\"" + shortened(text, kShown) + "\"";
}

std::string owner_text(const PodObject& pod, const Owners::Chain& chain) {
  return chain.owner.kind + " " + pod.name_space + "/" + chain.owner.name;
}

Membership at_fault(std::string fault) { return {std::nullopt, std::move(fault), {}}; }

// OWNED-7
std::string why_never_whole(const OwnerObject& owner, std::int32_t number) {
  if (!owner.at_first || number <= *owner.at_first) return {};
  return owner.text() + " makes only " + std::to_string(*owner.at_first) + " of " +
         std::to_string(number) + " pods before one of them runs (" + owner.in_turn + ")";
}

Membership one_of(const PodObject& pod, const Owners::Chain& chain, std::int32_t number) {
  if (number == 1) return {};
  if (chain.object != nullptr) {
    std::string never = why_never_whole(*chain.object, number);
    if (!never.empty()) return at_fault(std::move(never));
  }
  // OWNED-17. Nobody checks the names in ownerReferences.
  if (!is_dns_name(name_of_group(chain.owner, chain.suffix))) {
    return at_fault("its PodGroup would have the name of " + owner_text(pod, chain) +
                    ", which is no valid name, expected at most 253 lower-case letters, digits, "
                    "'-' or '.', with a letter or digit at both ends");
  }
  return {std::max(1, number), {}, {}};
}

// OWNED-3, OWNED-5
Membership by_wish(const Wish& wish, const PodObject& pod, const Owners::Chain& chain) {
  const std::string annotation = "annotation " + wish.wish->key + " of " + wish.from;
  const bool is_all = wish.wish->value == "all";
  const auto number = parse_number<std::int32_t>(wish.wish->value);
  if (!is_all && number.value_or(0) < 1) {
    return at_fault(annotation + " is " + shown(wish.wish->value) +
                    ", expected a number from 1 to " +
                    std::to_string(std::numeric_limits<std::int32_t>::max()) + ", or \"all\"");
  }
  if (number == 1) return {};
  if (chain.owner.is_none()) {
    return at_fault(annotation + " is " + shown(wish.wish->value) +
                    ", and the pod has no controller whose pods would be the gang; expected a "
                    "PodGroup and annotation scheduling.k8s.io/group-name");
  }
  if (chain.owner.uid.empty()) return at_fault(owner_text(pod, chain) + " is not known");
  if (number) return one_of(pod, chain, *number);
  if (chain.object != nullptr && chain.object->at_once) {
    return one_of(pod, chain, *chain.object->at_once);
  }
  return at_fault(annotation + " is \"all\", and Berth does not know how many pods " +
                  owner_text(pod, chain) +
                  " wants; expected a number, or its kind in jobs.owners of the configuration");
}

}  // namespace

Membership membership_of(const PodObject& pod, const Owners::Chain& chain, GangRule rule,
                         bool has_waited) {
  if (!chain.unseen.empty() && !has_waited) {  // OWNED-8
    return at_fault(chain.unseen + " has not been seen yet");
  }
  if (const Wish wish = wish_of(pod, chain); wish.wish != nullptr) {
    return by_wish(wish, pod, chain);
  }
  const OwnerObject* owner = chain.object;
  if (owner == nullptr || owner->at_once.value_or(1) <= 1) return {};
  const std::int32_t number = *owner->at_once;
  const bool can_be_whole = why_never_whole(*owner, number).empty();
  if (!can_be_whole) return {};
  const bool is_gang = rule == GangRule::all ||
                       (rule == GangRule::indexed && chain.direct()->is_indexed);  // OWNED-6
  if (is_gang) return one_of(pod, chain, number);
  Membership alone;  // OWNED-9
  alone.advice = owner->text() + " wants " + std::to_string(number) +
                 " pods at once, and they are planned one by one; annotation " + kGangAnnotation +
                 ": all on the " + owner->self.kind + " makes them one gang";
  return alone;
}

// OWNED-10
std::string name_of_group(const OwnerReference& owner, const std::string& suffix) {
  constexpr std::size_t kMost = 253;
  const std::string unique = name_suffix(fnv1a(owner.uid + "/" + suffix));
  std::string name = owner.name + (suffix.empty() ? "" : "-" + suffix);
  name.resize(std::min(name.size(), kMost - unique.size() - 1));
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return name.empty() ? unique : name + "-" + unique;
}

}  // namespace berth::mirror
