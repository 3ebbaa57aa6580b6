#include "berth/model/cluster.h"

// The counts of tasks in terms, and changes of terms and domains.

namespace berth {

std::string_view name_space_of(const Task& task) {
  return std::string_view(task.name).substr(0, task.name.find('/'));
}

// RELATION-3, RELATION-4. sign +1 adds, -1 takes away what a task in this state counts.
void Cluster::account_in_terms(const Task& task, int sign) {
  const ShapeTerms& terms = shapes_[task.shape.index()].terms;
  if (!terms.are_counted()) return;
  count_task(task, terms.counted, sign);
  count_task(task, terms.held, sign);
}

void Cluster::count_task(const Task& task, const std::vector<TermId>& terms, int sign) {
  if (!task.node.is_valid()) return;
  Counted change;
  change.there = occupies_node(task.status) ? 1 : 0;
  change.promised = task.status == TaskStatus::pipelined ? 1 : 0;
  if (change.is_zero()) return;
  change.leaving = task.status == TaskStatus::releasing ? 1 : 0;
  change.staying = task.never_leaves ? change.there : 0;
  if (sign < 0) change = -change;
  for (const TermId id : terms) relations_.count(id, task.node, change);
}

// Domains have changed.
void Cluster::recount_terms() {
  relations_.clear_counts();
  for (const Task& task : tasks_) {
    if (!task.uid.empty()) account_in_terms(task, +1);
  }
}

namespace {

// RELATION-5. The pods of a set are of one namespace, so a term matches all of them or none.
Labels with_namespace(std::string_view name_space, const Labels& labels) {
  Labels all;
  all.reserve(labels.size() + 1);
  all.emplace_back(kNamespaceOfSet, name_space);
  all.insert(all.end(), labels.begin(), labels.end());
  return all;
}

}  // namespace

LabelSetId Cluster::take_labels(std::string_view name_space, const Labels& labels) {
  return relations_.mutable_labels().take(with_namespace(name_space, labels));
}

void Cluster::set_labels(TaskId id, const Labels& labels) {
  LabelTable& table = relations_.mutable_labels();
  const LabelSetId before = tasks_[id.index()].labels;
  const LabelSetId now = take_labels(name_space_of(tasks_[id.index()]), labels);
  if (now != before) {
    relations_.unlink(id, before);
    mutable_task(id).labels = now;
    relations_.link(id, now);
  }
  table.give_back(before);
}

// Terms with selectors of namespaces may match other tasks of it now.
bool Cluster::set_namespace_labels(const std::string& name, const NamespaceLabelsOf& labels) {
  if (!relations_.set_namespace(name, labels)) return false;
  if (!relations_.terms().has_namespace_selectors()) return true;
  ++of_nodes_version_;
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    const Task& task = tasks_[t];
    if (task.uid.empty() || name_space_of(task) != name) continue;
    const std::vector<TermId> matched = relations_.matching(name, task.labels);
    if (matched == shape_of(TaskId(t)).terms.matched) continue;
    reshape(TaskId(t), matched_otherwise(task.shape, matched));
  }
  return true;
}

// NODEORDER-6
void Cluster::set_images(const std::string& node, const NamedImages& images) {
  if (relations_.mutable_images().set(node, images)) touch();
}

}  // namespace berth
