#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/domains.h"
#include "berth/model/images.h"
#include "berth/model/labels.h"
#include "berth/model/node_sets.h"
#include "berth/model/spread_domains.h"
#include "berth/model/terms.h"
#include "berth/model/volume_table.h"

namespace berth {

// The relations between pods: the terms in use, the domains of nodes, the counts, and the tasks by
// their labels. Only the Cluster changes it. Session thread only.
class PodRelations {
 public:
  const Term& term(TermId id) const { return terms_.at(id); }
  const TermTable& terms() const { return terms_; }
  const DomainTable& domains() const { return domains_; }
  const LabelTable& labels() const { return labels_; }
  // The domain that the node is in for the term. Invalid: it lacks the label.
  DomainId domain(TermId id, NodeId node) const { return domains_.at(term(id).key, node); }
  // The domains of a term of role `spread`.
  const SpreadDomains& spread(TermId id) const { return spreads_[id.index()]; }
  const NodeSets& node_sets() const { return node_sets_; }
  // Changes whenever a term may admit a domain that it refused before.
  // So it does with what `volumes` may admit.
  std::uint64_t opened() const { return opened_ + volumes_.opened(); }
  const VolumeTable& volumes() const { return volumes_; }
  const ImageTable& images() const { return images_; }

  // --- for the Cluster ----------------------------------------------------------------------
  LabelTable& mutable_labels() { return labels_; }
  VolumeTable& mutable_volumes() { return volumes_; }
  ImageTable& mutable_images() { return images_; }
  const NamespaceLabels& namespaces() const { return namespaces_; }
  // False if nothing has changed.
  bool set_namespace(const std::string& name, const NamespaceLabelsOf& labels);

  // For TermSpec::nodes; take() of that specification owns it then.
  NodeSetId take_nodes(const NodeSetRule& rule, const std::vector<Node>& nodes) {
    return node_sets_.take(rule, nodes);
  }
  TermTable::Taken take(const TermSpec& spec, const std::vector<Node>& nodes);
  void use_again(TermId id) { terms_.use_again(id); }
  // True if nothing uses the term any more. It stays until remove().
  bool give_back(TermId id) { return terms_.give_back(id); }
  void remove(TermId id);
  std::vector<TermId> matching(std::string_view name_space, LabelSetId labels) const {
    return terms_.matching(name_space, labels, labels_, namespaces_);
  }

  // Tasks by their label set.
  void link(TaskId id, LabelSetId set);
  void unlink(TaskId id, LabelSetId set);
  // The label sets of tasks that one of the terms may match, sorted.
  std::vector<LabelSetId> candidates(const std::vector<TermId>& ids) const;
  // Calls do_this(task) for each task of the set, in no order.
  template <class DoThis>
  void each_task(LabelSetId set, DoThis do_this) const {
    if (set.index() >= first_of_set_.size()) return;
    for (TaskId at = first_of_set_[set.index()]; at.is_valid(); at = links_[at.index()].next) {
      do_this(at);
    }
  }

  void count(TermId id, NodeId node, const Counted& change);
  void reset_domains(const std::vector<Node>& nodes);
  // True if counts must be made anew: clear_counts(), then count().
  bool update_domains(NodeId id, const Node& node, std::size_t nodes);
  void clear_counts();
  // BOUND-7. There are so many tasks.
  void trim(std::size_t task_slots);

 private:
  struct Link {
    TaskId next;
    TaskId previous;
  };
  void find_domains(TermId id);
  void count_spread(TermId id, DomainId domain, const Counted& change);

  TermTable terms_;
  DomainTable domains_;
  NodeSets node_sets_;
  std::vector<SpreadDomains> spreads_;  // by term
  LabelTable labels_;
  VolumeTable volumes_;
  ImageTable images_;
  NamespaceLabels namespaces_;
  std::vector<TaskId> first_of_set_;  // by label set
  std::vector<Link> links_;           // by task
  std::uint64_t opened_ = 1;
};

}  // namespace berth
