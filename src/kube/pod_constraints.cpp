#include "kube/pod_constraints.h"

#include <algorithm>
#include <array>

#include "berth/base/number.h"
#include "berth/base/text.h"
#include "berth/model/queue_nodes.h"
#include "kube/fields.h"
#include "kube/known_fields.h"
#include "kube/pod_request.h"

namespace berth::kube {

namespace {

const std::array<std::string, 6> kOperators{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};

Operator read_operator(const document::Cursor& at) {
  const std::string text = at.text();
  for (std::size_t i = 0; i < kOperators.size(); ++i) {
    if (text == kOperators[i]) return static_cast<Operator>(i);
  }
  at.complain("\"" + text + "\" is no operator" + suggestion(text, kOperators));
  return Operator::in;
}

}  // namespace

Expression read_expression(const document::Cursor& from) {
  Expression expression;
  expression.key = from.required_text("key");
  expression.op = read_operator(from["operator"]);
  expression.values = read_texts(from["values"]);
  const std::size_t count = expression.values.size();
  switch (expression.op) {
    case Operator::in:
    case Operator::not_in:
      if (count == 0) from.complain("`values` is empty, expected at least one value");
      break;
    case Operator::exists:
    case Operator::does_not_exist:
      if (count != 0) from["values"].complain("there are values, expected none for this operator");
      break;
    case Operator::greater:
    case Operator::less:
      if (count != 1 || !parse_number<std::int64_t>(expression.values.front())) {
        from.warn("`values` is not one whole number in quotes, which Gt and Lt expect");
      }
      break;
  }
  return expression;
}

SelectorTerm read_selector_term(const document::Cursor& from) {
  SelectorTerm term;
  for (const document::Cursor& item : from["matchExpressions"].items()) {
    term.labels.push_back(read_expression(item));
  }
  for (const document::Cursor& item : from["matchFields"].items()) {
    Expression field = read_expression(item);
    const bool has_known_operator = field.op == Operator::in || field.op == Operator::not_in;
    if (field.key != "metadata.name" || !has_known_operator || field.values.size() != 1) {
      item.complain("expected metadata.name with In or NotIn and one value");
    }
    term.fields.push_back(std::move(field));
  }
  return term;
}

namespace {

void read_node_affinity(const document::Cursor& from, Constraints& to) {
  const document::Cursor required = from[kRequired];
  to.has_required_terms = required.is_present();
  for (const document::Cursor& term : required["nodeSelectorTerms"].items()) {
    to.required_terms.push_back(read_selector_term(term));
  }
  for (const document::Cursor& term : from[kPreferred].items()) {
    to.preferred_terms.push_back({static_cast<std::int32_t>(term["weight"].integer(1, 1, 100)),
                                  read_selector_term(term["preference"])});
  }
}

void read_tolerations(const document::Cursor& from, Constraints& to) {
  for (const document::Cursor& item : from.items()) {
    Toleration toleration;
    toleration.key = item["key"].text();
    toleration.value = item["value"].text();
    const document::Cursor effect = item["effect"];
    if (!effect.text().empty()) {
      toleration.effect = read_taint_effect(effect).value_or(TaintEffect::any);
    }
    const std::string op = item["operator"].text("Equal");
    toleration.exists = op == "Exists";
    if (op == "Gt" || op == "Lt") {
      to.unmodelled.emplace_back("numericToleration");
      continue;
    }
    if (!toleration.exists && op != "Equal" && !op.empty()) {
      item["operator"].complain("\"" + op + "\" is no operator, expected Exists or Equal");
    }
    if (toleration.key.empty() && !toleration.exists) {
      item.complain("`key` is missing, expected one, or the operator Exists");
    }
    to.tolerations.push_back(std::move(toleration));
  }
}

// With host networking, every container port is a port of the host.
void read_host_ports(const document::Cursor& container, bool on_host_network, Constraints& to) {
  for (const document::Cursor& from : container["ports"].items()) {
    HostPort port;
    const auto inner = from["containerPort"].integer(0, 0, 65535);
    const auto outer = from["hostPort"].integer(on_host_network ? inner : 0, 0, 65535);
    if (outer == 0) continue;
    port.port = static_cast<std::int32_t>(outer);
    if (const std::string ip = from["hostIP"].text(); !ip.empty()) port.ip = ip;
    if (const std::string name = from["protocol"].text(); !name.empty()) port.protocol = name;
    to.host_ports.push_back(std::move(port));
  }
}

// As kube-scheduler completes it. That of a pod without a tag is the latest.
void read_image(const document::Cursor& container, Constraints& to) {
  std::string name = container["image"].text();
  if (name.empty()) return;
  const auto after = [&name](char c) { return name.rfind(c) + 1; };  // 0: there is none
  if (after(':') <= after('/')) name += ":latest";
  to.images.push_back(std::move(name));
}

bool restarts_all_containers(const document::Cursor& container) {
  const auto rules = container["restartPolicyRules"].items();
  return std::any_of(rules.begin(), rules.end(), [](const document::Cursor& rule) {
    return rule["action"].text() == "RestartAllContainers";
  });
}

// HINT-1. The features of nodes that kube-scheduler's plugin NodeDeclaredFeatures asks for.
bool needs_node_features(const document::Cursor& spec) {
  if (spec["hostNetwork"].boolean(false) && !spec["hostUsers"].boolean(true)) return true;
  for (const char* const kind : {"containers", "initContainers"}) {
    const auto all = spec[kind].items();
    if (std::any_of(all.begin(), all.end(), restarts_all_containers)) return true;
  }
  return false;
}

// HINT-1. Notes only constraints that can forbid a node.
void note_unmodelled(const document::Cursor& spec, Constraints& to) {
  const auto note_if = [&to](bool is_there, const char* name) {
    if (is_there) to.unmodelled.emplace_back(name);
  };
  for (const document::Cursor& volume : spec["volumes"].items()) {
    note_if(volume["persistentVolumeClaim"].is_present() || volume["ephemeral"].is_present(),
            "lateBindingVolume");
  }
  note_if(!spec["resourceClaims"].items().empty(), "resourceClaims");
  note_if(needs_node_features(spec), "nodeFeatures");
  if (!spec.is_present()) return;
  for (const document::Member& member : spec.value()->members) {
    if (!is_known_field("PodSpec", member.key)) to.unmodelled.push_back("spec." + member.key);
  }
}

}  // namespace

Constraints read_constraints(const document::Cursor& spec) {
  Constraints constraints;
  constraints.node_selector = read_strings(spec["nodeSelector"]);
  read_node_affinity(spec["affinity"]["nodeAffinity"], constraints);
  read_tolerations(spec["tolerations"], constraints);
  const bool on_host_network = spec["hostNetwork"].boolean(false);
  for (const document::Cursor& container : spec["containers"].items()) {
    read_host_ports(container, on_host_network, constraints);
    read_image(container, constraints);
  }
  for (const document::Cursor& container : spec["initContainers"].items()) {
    read_image(container, constraints);
    if (is_sidecar(container)) read_host_ports(container, on_host_network, constraints);
  }
  note_unmodelled(spec, constraints);
  std::sort(constraints.images.begin(), constraints.images.end());
  sort_unique(constraints.tolerations);
  sort_unique(constraints.host_ports);
  sort_unique(constraints.unmodelled);
  return constraints;
}

LockTolerations take_lock_tolerations(Constraints& constraints) {
  LockTolerations tolerated;
  std::erase_if(constraints.tolerations, [&tolerated](const Toleration& toleration) {
    const bool is_of_effect =
        toleration.effect == TaintEffect::any || toleration.effect == TaintEffect::no_schedule;
    if (toleration.exists) {
      const bool is_of_any_key = is_of_effect && toleration.key.empty();
      tolerated.all |= is_of_any_key || (is_of_effect && toleration.key == kLockedForLabel);
      tolerated.all_for_queues |=
          is_of_any_key || (is_of_effect && toleration.key == kLockedForQueueLabel);
      return false;
    }
    const bool is_of_queue = toleration.key == kLockedForQueueLabel;
    const bool is_of_target = toleration.key == kLockedForLabel && is_for_job(toleration.value);
    if (is_of_effect && is_of_target) tolerated.some.push_back(toleration.value);
    if (is_of_effect && is_of_queue) {
      tolerated.some.push_back(std::string(kLockedForQueue) + toleration.value);
    }
    return is_of_queue || is_of_target;
  });
  sort_unique(tolerated.some);
  return tolerated;
}

}  // namespace berth::kube
