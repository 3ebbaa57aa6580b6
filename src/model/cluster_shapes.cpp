#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/hash.h"
#include "berth/base/look_up.h"
#include "berth/model/bounds.h"
#include "berth/model/cluster.h"

// Shapes: made, counted and given back. docs/design/constraints.md.

namespace berth {

namespace {

// RELATION-1
std::size_t hash_of(const std::string& key, const std::vector<TermId>& matched) {
  std::size_t hash = std::hash<std::string>{}(key);
  for (const TermId id : matched) hash = hash * 31 + id.index();
  return hash;
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
  sort_once(all);
  sort_once(keys);
  const PodTerms shared(std::move(all));
  std::vector<TermSpec> specs;
  for (const std::string& key : keys) specs.push_back({TermRole::affinity, shared, key, {}});
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

// Of sorted ids: those of the first that the second has not.
std::vector<TermId> difference(const std::vector<TermId>& left, const std::vector<TermId>& right) {
  std::vector<TermId> only;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(),
                      std::back_inserter(only));
  return only;
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
  ShapeTerms terms = take_terms(constraints);
  terms.matched = relations_.matching(name_space, labels);
  const std::string own = shape_key(request, constraints);
  if (const ShapeId known = find_shape(own, terms.matched); known.is_valid()) {
    give_back_terms(terms);
    return known;
  }
  Shape shape;
  shape.key = own;
  shape.lasting_key = lasting_key(request, constraints);
  shape.constraints = constraints;
  set_request(shape, request);
  shape.is_best_effort = shape.request.is_empty_but_pods();
  shape.has_host_ports = !constraints.host_ports.empty();
  shape.has_volumes = !constraints.volumes.are_empty();
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

ShapeId Cluster::find_shape(const std::string& key, const std::vector<TermId>& matched) const {
  const auto [first, last] = shape_by_hash_.equal_range(hash_of(key, matched));
  const auto found = std::find_if(first, last, [&](const auto& each) {
    const Shape& shape = shapes_[each.second.index()];
    return shape.key == key && shape.terms.matched == matched;
  });
  return found == last ? ShapeId() : found->second;
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
  const ShapeId id = free_shapes_.take_in(shapes_);
  shape.id = id;
  shape.checks = bounds::checks_of(shape.constraints);
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
  shape_by_hash_.emplace(hash_of(shape.key, terms.matched), id);
  shapes_[id.index()] = std::move(shape);
  return id;
}

// The same shape, matched by other terms.
ShapeId Cluster::matched_otherwise(ShapeId from, std::vector<TermId> matched) {
  const Shape& before = shapes_[from.index()];
  if (const ShapeId known = find_shape(before.key, matched); known.is_valid()) return known;
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
  erase_entry(shape_by_hash_, hash_of(gone.key, gone.terms.matched), id);
  free_shapes_.add(id);
  if (gone.base != id) release_shape(gone.base);
  for (const ImageId image : gone.images) relations_.mutable_images().give_back(image);
  give_back_terms(gone.terms);
}

// Accounts and counts stay as they were, but for those of terms.
void Cluster::reshape(TaskId id, ShapeId shape) {
  Task& task = tasks_[id.index()];
  if (task.shape == shape) return;
  use_shape(shape);
  const ShapeTerms& had = shapes_[task.shape.index()].terms;
  const ShapeTerms& has = shapes_[shape.index()].terms;
  count_task(task, difference(had.counted, has.counted), -1);
  count_task(task, difference(has.counted, had.counted), +1);
  if (had.held != has.held) {
    count_task(task, had.held, -1);
    count_task(task, has.held, +1);
  }
  release_shape(std::exchange(task.shape, shape));
  if (task.job.is_valid()) touch(task.job);
  touch();
}

// --- terms ----------------------------------------------------------------------------------

ShapeTerms Cluster::take_terms(const Constraints& constraints) {
  ShapeTerms terms;
  const Relations& relations = constraints.relations;
  if (relations.are_empty()) return terms;
  std::vector<TermId> fresh;
  const auto take = [&](const TermSpec& spec, std::vector<TermId>& to) {
    const auto [id, is_new] = relations_.take(spec, nodes_);
    if (is_new) fresh.push_back(id);
    to.push_back(id);
  };
  for (const TermSpec& spec : affinity_of(relations)) take(spec, terms.affinity);
  for (const PodTerm& term : relations.anti_affinity) {
    take(about(TermRole::anti_affinity, term), terms.anti_affinity);
    take(about(TermRole::held, term), terms.held);
  }
  // AFFINITY-10. Required affinity draws others, too, with kube-scheduler's default weight of 1.
  for (const PodTerm& term : relations.affinity) take(draws(term, 1), terms.held);
  for (const PreferredPodTerm& each : relations.preferred) {
    take(about(TermRole::preferred, each.term), terms.preferred);
    take(draws(each.term, each.weight), terms.held);
  }
  const auto take_spreads = [&](TermRole role, const std::vector<SpreadConstraint>& all,
                                std::vector<TermId>& to) {
    for (const SpreadConstraint& spread : all) {
      const NodeSetId nodes =
          relations_.take_nodes(node_set_rule(spread, all, constraints), nodes_);
      take(spread_over(role, spread, relations, nodes), to);
    }
  };
  take_spreads(TermRole::spread, relations.spread, terms.spread);
  take_spreads(TermRole::preferred_spread, relations.preferred_spread, terms.preferred_spread);
  rematch(fresh);  // RELATION-5. New terms match pods that are there.
  return terms;
}

// RELATION-6
void Cluster::give_back_terms(const ShapeTerms& terms) {
  std::vector<TermId> gone;
  for (const TermId id : own_terms(terms)) {
    if (relations_.give_back(id)) gone.push_back(id);
  }
  rematch(gone);
  for (const TermId id : gone) relations_.remove(id);
}

// Finds the tasks that these terms match. Either all of them are new, or nothing uses them any
// more: then none.
void Cluster::rematch(const std::vector<TermId>& ids) {
  if (ids.empty()) return;
  const bool are_new = relations_.term(ids.front()).uses > 0;
  const auto match = [&](TermId id, const Task& task) {
    return matches(relations_.term(id).spec, name_space_of(task), task.labels, relations_.labels(),
                   relations_.namespaces());
  };
  std::vector<TermId> changed = ids;
  std::sort(changed.begin(), changed.end());
  std::map<std::uint64_t, std::pair<ShapeId, std::uint64_t>> known;  // by serial: id and serial
  for (const LabelSetId set : relations_.candidates(ids)) {
    bool is_first = true;
    relations_.each_task(set, [&](TaskId each) {
      const Task& task = tasks_[each.index()];
      if (are_new && std::exchange(is_first, false)) {
        std::vector<TermId> of_set;
        for (const TermId id : ids) {
          if (match(id, task)) of_set.push_back(id);
        }
        std::sort(of_set.begin(), of_set.end());
        if (std::exchange(changed, of_set) != of_set) known.clear();
      }
      if (changed.empty()) return;
      auto& [after, serial] = known[shapes_[task.shape.index()].serial];
      if (!after.is_valid() || shapes_[after.index()].serial != serial) {
        const std::vector<TermId>& before = shapes_[task.shape.index()].terms.matched;
        std::vector<TermId> matched;
        if (are_new) {
          std::set_union(before.begin(), before.end(), changed.begin(), changed.end(),
                         std::back_inserter(matched));
        } else {
          matched = difference(before, changed);
        }
        after = matched == before ? task.shape : matched_otherwise(task.shape, std::move(matched));
        serial = shapes_[after.index()].serial;
      }
      reshape(each, after);
    });
  }
}

}  // namespace berth
