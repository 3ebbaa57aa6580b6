#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/model/constraints.h"

namespace berth {

struct NamespaceObject {
  std::string name;
  std::string queue;  // that its jobs use if they name none; empty: none
  std::map<std::string, std::string> labels = {};
  bool operator==(const NamespaceObject&) const = default;
};

// The label that the API server gives each namespace: its name.
inline constexpr const char* kNamespaceNameLabel = "kubernetes.io/metadata.name";

// Annotation of a Queue: whose jobs it serves, besides what its spec says. The text of a selector.
inline constexpr const char* kNamespacesAnnotation = "berth.dev/namespaces";

// Some namespaces, by their labels. A value; pure functions.
struct NamespaceSelector {
  std::vector<Expression> requirements;  // all must hold; none: every namespace

  bool selects_all() const { return requirements.empty(); }
  // Does it select the namespace of this name, with these labels? Its name is a label, too, whether
  // `labels` has it or not.
  bool selects(const std::string& name, const std::map<std::string, std::string>& labels) const;
  // As kubectl's option --selector takes it: "env in (a,b),team=ml"; empty for every namespace.
  std::string text() const;
  bool operator==(const NamespaceSelector&) const = default;
};

}  // namespace berth
