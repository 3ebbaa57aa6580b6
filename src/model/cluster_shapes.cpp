#include <algorithm>
#include <map>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/hash.h"
#include "berth/model/cluster.h"

// Shapes: made, counted and given back. docs/design/constraints.md.

namespace berth {

namespace {

// RELATION-1
std::string key_of(const std::string& own, const std::vector<TermId>& matched) {
  std::string key = own;
  for (const TermId id : matched) key += "m" + std::to_string(id.index());
  return key;
}

TermSpec about(TermRole role, PodTerm term) {
  std::string key = std::exchange(term.topology_key, {});
  return {role, {std::move(term)}, std::move(key), {}};
}

// AFFINITY-10
TermSpec draws(PodTerm term, std::int32_t weight) {
  TermSpec spec = about(TermRole::draws, std::move(term));
  spec.weight = weight;
  return spec;
}

// AFFINITY-5
std::vector<TermSpec> affinity_of(const Relations& relations) {
  std::vector<PodTerm> all = relations.affinity;
  std::vector<std::string> keys;
  for (PodTerm& term : all) keys.push_back(std::exchange(term.topology_key, {}));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<TermSpec> specs;
  for (const std::string& key : keys) specs.push_back({TermRole::affinity, all, key, {}});
  return specs;
}

// SPREAD-4. An empty selector counts nobody.
TermSpec spread_over(TermRole role, const SpreadConstraint& spread, const Relations& relations,
                     NodeSetId nodes) {
  PodTerm counted;
  counted.pods = spread.is_empty ? PodSelector{{}, true} : spread.pods;
  counted.namespaces = {relations.name_space};
  return {role, {std::move(counted)}, spread.topology_key, nodes};
}

std::vector<TermId> own_terms(const ShapeTerms& terms) {
  std::vector<TermId> all = terms.affinity;
  all.insert(all.end(), terms.anti_affinity.begin(), terms.anti_affinity.end());
  all.insert(all.end(), terms.held.begin(), terms.held.end());
  all.insert(all.end(), terms.spread.begin(), terms.spread.end());
  all.insert(all.end(), terms.preferred.begin(), terms.preferred.end());
  all.insert(all.end(), terms.preferred_spread.begin(), terms.preferred_spread.end());
  return all;
}

// AFFINITY-10. Is the shape drawn only to where it must be anyway?
bool is_required(const TermSpec& drawing, const Shape& shape) {
  const std::vector<PodTerm>& required = shape.constraints.relations.affinity;
  return std::any_of(required.begin(), required.end(),
                     [&](const PodTerm& term) { return draws(term, drawing.weight) == drawing; });
}

// STEER-12, HINT-5. Other pods may mount its claims, or have terms that match it, while it waits.
// Preferences rule no node out.
std::uint64_t lasting_key(const NamedAmounts& request, Constraints constraints) {
  constraints.relations.preferred.clear();
  constraints.relations.preferred_spread.clear();
  constraints.images.clear();
  constraints.volumes.depend_on_plan = false;
  for (VolumeNeed& need : constraints.volumes.claims) {
    need.claim.clear();
    need.volume = 0;
    need.is_for_one_pod = false;
  }
  return fnv1a(shape_key(request, constraints));
}

}  // namespace

ShapeId Cluster::intern_shape(const NamedAmounts& request, const Constraints& constraints,
                              std::string_view name_space, LabelSetId labels) {
  ensure_dimensions();
  const Relations& relations = constraints.relations;
  ShapeTerms terms = take_terms(relations);
  const auto take_spreads = [&](TermRole role, const std::vector<SpreadConstraint>& all,
                                std::vector<TermId>& to) {
    for (const SpreadConstraint& spread : all) {
      const NodeSetId nodes =
          relations_.take_nodes(node_set_rule(spread, all, constraints), nodes_);
      to.push_back(take_term(spread_over(role, spread, relations, nodes)));
    }
  };
  take_spreads(TermRole::spread, relations.spread, terms.spread);
  take_spreads(TermRole::preferred_spread, relations.preferred_spread, terms.preferred_spread);
  terms.matched = relations_.matching(name_space, labels);
  const std::string own = shape_key(request, constraints);
  if (const auto known = shape_by_key_.find(key_of(own, terms.matched));
      known != shape_by_key_.end()) {
    give_back_terms(terms);
    return known->second;
  }
  Shape shape;
  shape.key = own;
  shape.lasting_key = lasting_key(request, constraints);
  set_request(shape, request);
  shape.constraints = constraints;
  shape.is_best_effort = shape.request.is_empty_but_pods();
  shape.has_host_ports = !constraints.host_ports.empty();
  shape.has_volumes = !constraints.volumes.are_empty();
  shape.is_hint = !constraints.unmodelled.empty();
  if (!terms.are_empty() || constraints.volumes.depend_on_plan || !constraints.images.empty()) {
    Constraints plain = constraints;
    plain.relations = Relations();
    plain.images.clear();
    plain.volumes.depend_on_plan = false;
    shape.base = intern_shape(request, plain, {}, {});
  }
  shape.terms = std::move(terms);
  return add_shape(std::move(shape));
}

ShapeId Cluster::add_shape(Shape shape) {
  ShapeTerms& terms = shape.terms;
  terms.counted.clear();
  terms.refused_by.clear();
  terms.drawn_by.clear();
  const auto role = [this](TermId id) { return relations_.term(id).spec.role; };
  for (const TermId id : terms.matched) {
    if (!counts_holders(role(id))) terms.counted.push_back(id);
    if (role(id) == TermRole::held) terms.refused_by.push_back(id);
    if (role(id) == TermRole::draws && !is_required(relations_.term(id).spec, shape)) {
      terms.drawn_by.push_back(id);
    }
  }
  terms.matches_own_affinity =
      !terms.affinity.empty() &&
      std::binary_search(terms.matched.begin(), terms.matched.end(), terms.affinity.front());
  terms.refuses_itself =
      std::any_of(terms.anti_affinity.begin(), terms.anti_affinity.end(), [&](TermId id) {
        return std::binary_search(terms.matched.begin(), terms.matched.end(), id);
      });
  ShapeId id(shapes_.size());
  if (free_shapes_.empty()) {
    shapes_.emplace_back();
  } else {
    id = free_shapes_.back();
    free_shapes_.pop_back();
  }
  shape.id = id;
  shape.serial = ++last_shape_;
  shape.uses = 0;
  if (shape.base.is_valid()) ++shapes_[shape.base.index()].uses;
  if (!shape.base.is_valid()) shape.base = id;
  const auto is_mild = [&](TermId term) { return is_preference(role(term)); };
  const std::vector<TermId> own = own_terms(terms);
  shape.only_prefers = shape.base != id && !shape.constraints.volumes.depend_on_plan &&
                       std::all_of(own.begin(), own.end(), is_mild) &&
                       std::all_of(terms.matched.begin(), terms.matched.end(), is_mild);
  shape.images.clear();
  for (const std::string& image : shape.constraints.images) {
    shape.images.push_back(relations_.mutable_images().take(image));
  }
  shape_by_key_.emplace(key_of(shape.key, terms.matched), id);
  shapes_[id.index()] = std::move(shape);
  return id;
}

// The same shape, matched by other terms.
ShapeId Cluster::matched_otherwise(ShapeId from, std::vector<TermId> matched) {
  const Shape& before = shapes_[from.index()];
  if (const auto known = shape_by_key_.find(key_of(before.key, matched));
      known != shape_by_key_.end()) {
    return known->second;
  }
  Shape shape = before;
  shape.terms.matched = std::move(matched);
  const Constraints& has = before.constraints;
  if (shape.terms.are_empty() && !has.volumes.depend_on_plan && has.images.empty()) {
    shape.base = ShapeId();
  } else if (before.base == from) {
    // A shape without relations has the key of a base, so it is the base.
    shape.base = from;
  }
  for (const TermId id : own_terms(shape.terms)) relations_.use_again(id);
  return add_shape(std::move(shape));
}

void Cluster::set_shape(TaskId id, ShapeId shape) {
  use_shape(shape);
  release_shape(std::exchange(mutable_task(id).shape, shape));
}

void Cluster::release_shape(ShapeId id) {
  Shape& shape = shapes_[id.index()];
  BERTH_CHECK(shape.uses > 0);
  if (--shape.uses > 0) return;
  const Shape gone = std::exchange(shape, Shape());
  shape_by_key_.erase(key_of(gone.key, gone.terms.matched));
  free_shapes_.push_back(id);
  if (gone.base != id) release_shape(gone.base);
  for (const ImageId image : gone.images) relations_.mutable_images().give_back(image);
  give_back_terms(gone.terms);
}

// Accounts and counts stay as they were, but for those of terms.
void Cluster::reshape(TaskId id, ShapeId shape) {
  Task& task = tasks_[id.index()];
  if (task.shape == shape) return;
  use_shape(shape);
  account_in_terms(task, -1);
  const ShapeId before = std::exchange(task.shape, shape);
  account_in_terms(task, +1);
  release_shape(before);
  if (task.job.is_valid()) touch(task.job);
  touch();
}

// --- terms ----------------------------------------------------------------------------------

ShapeTerms Cluster::take_terms(const Relations& relations) {
  ShapeTerms terms;
  if (relations.are_empty()) return terms;
  for (const TermSpec& spec : affinity_of(relations)) terms.affinity.push_back(take_term(spec));
  for (const PodTerm& term : relations.anti_affinity) {
    terms.anti_affinity.push_back(take_term(about(TermRole::anti_affinity, term)));
    terms.held.push_back(take_term(about(TermRole::held, term)));
  }
  // AFFINITY-10. Required affinity draws others, too, with kube-scheduler's default weight of 1.
  for (const PodTerm& term : relations.affinity) terms.held.push_back(take_term(draws(term, 1)));
  for (const PreferredPodTerm& each : relations.preferred) {
    terms.preferred.push_back(take_term(about(TermRole::preferred, each.term)));
    terms.held.push_back(take_term(draws(each.term, each.weight)));
  }
  return terms;
}

// RELATION-5. A new term matches pods that are there.
TermId Cluster::take_term(const TermSpec& spec) {
  const auto [id, is_new] = relations_.take(spec, nodes_);
  if (is_new) rematch(id);
  return id;
}

// RELATION-6
void Cluster::give_back_terms(const ShapeTerms& terms) {
  for (const TermId id : own_terms(terms)) {
    if (!relations_.give_back(id)) continue;
    rematch(id);
    relations_.remove(id);
  }
}

// Finds the tasks that the term matches; none if nothing uses it.
void Cluster::rematch(TermId id) {
  const bool is_used = relations_.term(id).uses > 0;
  std::map<std::uint64_t, std::pair<ShapeId, std::uint64_t>> known;  // by serial: id and serial
  for (const TaskId each : relations_.candidates(id)) {
    const Task& task = tasks_[each.index()];
    std::vector<TermId> matched = shapes_[task.shape.index()].terms.matched;
    const auto at = std::lower_bound(matched.begin(), matched.end(), id);
    const bool was = at != matched.end() && *at == id;
    const bool is = is_used && matches(relations_.term(id).spec, name_space_of(task), task.labels,
                                       relations_.labels(), relations_.namespaces());
    if (was == is) continue;
    auto& [after, serial] = known[shapes_[task.shape.index()].serial];
    if (!after.is_valid() || shapes_[after.index()].serial != serial) {
      if (is) matched.insert(at, id);
      if (was) matched.erase(at);
      after = matched_otherwise(task.shape, std::move(matched));
      serial = shapes_[after.index()].serial;
    }
    reshape(each, after);
  }
}

}  // namespace berth
