#include "support/pod_text.h"

#include <algorithm>
#include <cstdlib>

#include "berth/base/text.h"

namespace berth::support {

namespace {

TaintEffect read_effect(SceneLine& line, const std::string& text) {
  if (text.empty()) return TaintEffect::any;
  if (text == "NoSchedule") return TaintEffect::no_schedule;
  if (text == "PreferNoSchedule") return TaintEffect::prefer_no_schedule;
  if (text == "NoExecute") return TaintEffect::no_execute;
  line.accuse("\"" + text + "\" is no effect");
  return TaintEffect::any;
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Expression read_expression(SceneLine& line, const std::string& text) {
  const auto parts = parts_of(text);
  static const std::map<std::string, Operator> operators{
      {"in", Operator::in},         {"notin", Operator::not_in},
      {"exists", Operator::exists}, {"absent", Operator::does_not_exist},
      {"gt", Operator::greater},    {"lt", Operator::less}};
  Expression expression;
  const auto op = parts.size() < 2 ? operators.end() : operators.find(parts[1]);
  if (op == operators.end()) {
    line.accuse("expected key:in|notin|exists|absent|gt|lt:values");
    return expression;
  }
  expression.key = parts[0];
  expression.op = op->second;
  if (parts.size() > 2) expression.values = split_list(parts[2], '|');
  return expression;
}

namespace {

SelectorTerm read_term(SceneLine& line, const std::string& text) {
  SelectorTerm term;
  for (const std::string& item : split_list(text, ',')) {
    Expression expression = read_expression(line, item);
    if (expression.key == "@name") {
      expression.key = "metadata.name";
      term.fields.push_back(std::move(expression));
    } else {
      term.labels.push_back(std::move(expression));
    }
  }
  return term;
}

Toleration read_toleration(SceneLine& line, const std::string& text) {
  Toleration toleration;
  const auto parts = parts_of(text);
  toleration.key = parts[0] == "*" ? "" : parts[0];
  toleration.exists = parts.size() < 2 || parts[1].empty();
  if (parts.size() > 1) toleration.value = parts[1];
  if (parts.size() > 2) toleration.effect = read_effect(line, parts[2]);
  return toleration;
}

HostPort read_port(const std::string& text) {
  HostPort port;
  const auto parts = parts_of(text);
  port.port = std::atoi(parts.back().c_str());
  if (parts.size() > 1) port.protocol = parts[parts.size() - 2];
  if (parts.size() > 2) port.ip = parts[0];
  return port;
}

}  // namespace

std::map<std::string, std::string> read_labels(const std::vector<std::string>& items) {
  std::map<std::string, std::string> labels;
  for (const std::string& item : items) {
    const auto parts = parts_of(item);
    labels[parts[0]] = parts.size() > 1 ? parts[1] : "";
  }
  return labels;
}

std::vector<Taint> read_taints(SceneLine& line) {
  std::vector<Taint> taints;
  for (const std::string& item : line.list_of("taints")) {
    const auto parts = parts_of(item);
    Taint taint;
    taint.key = parts[0];
    if (parts.size() > 1) taint.value = parts[1];
    if (parts.size() > 2) taint.effect = read_effect(line, parts[2]);
    taints.push_back(std::move(taint));
  }
  return taints;
}

TargetMarks read_marks(SceneLine& line, TimePoint now) {
  TargetMarks marks;
  marks.is_named = line.flag("named");
  marks.is_declined = line.flag("declined");
  const auto ago = [&](const char* key) -> std::optional<TimePoint> {
    if (!line.has(key)) return std::nullopt;
    const auto by = parse_duration(line.text_of(key));
    if (!by) line.accuse(std::string(key) + ": " + by.error().message);
    return by ? std::optional<TimePoint>(now - *by) : std::nullopt;
  };
  marks.first_seen = ago("seen");
  marks.given_up_at = ago("given-up");
  return marks;
}

EvictionTerms read_eviction_terms(SceneLine& line) {
  EvictionTerms terms;
  if (line.flag("not-preemptable")) terms.preemptable = false;
  if (line.flag("preemptable")) terms.preemptable = true;
  if (!line.has("cooldown")) return terms;
  const auto cooldown = parse_duration(line.text_of("cooldown"));
  if (!cooldown) line.accuse("cooldown: " + cooldown.error().message);
  if (cooldown) terms.cooldown = *cooldown;
  return terms;
}

std::optional<Duration> read_duration(SceneLine& line, const char* key) {
  if (!line.has(key)) return std::nullopt;
  const auto time = parse_duration(line.text_of(key));
  if (!time) line.accuse(std::string(key) + ": " + time.error().message);
  return time ? std::optional<Duration>(*time) : std::nullopt;
}

void read_end_of_grace(SceneLine& line, TimePoint now, PodObject& pod) {
  const std::optional<Duration> left = read_duration(line, "leaves-in");
  if (!left) return;
  pod.terminating = true;
  pod.times.grace_ends = now + *left;
}

TimeTerms read_time_terms(SceneLine& line) {
  return {read_duration(line, "deadline"), read_duration(line, "limit"),
          read_duration(line, "grace").value_or(Duration())};
}

OwnerReference owner_reference(const std::string& kind, const std::string& name) {
  static const std::map<std::string, std::string> kVersions{{"Job", "batch/v1"},
                                                            {"StatefulSet", "apps/v1"},
                                                            {"JobSet", "jobset.x-k8s.io/v1alpha2"},
                                                            {"RayCluster", "ray.io/v1"},
                                                            {"PyTorchJob", "kubeflow.org/v1"},
                                                            {"MPIJob", "kubeflow.org/v2beta1"}};
  const auto found = kVersions.find(kind);
  return {found == kVersions.end() ? "" : found->second, kind, name, name};
}

PodObject read_pod_options(SceneLine& line) {
  PodObject pod;
  pod.scheduler_name = "berth";
  pod.request = line.amounts();
  pod.request["pods"] = 1;
  pod.role = line.text_of("role");
  pod.priority_class = line.text_of("class");
  pod.eviction = read_eviction_terms(line);
  pod.times = read_time_terms(line);
  const auto labels = read_labels(line.list_of("labels"));
  pod.labels.assign(labels.begin(), labels.end());
  pod.never_preempts = line.flag("never-preempts");
  if (line.has("priority")) {
    pod.priority = static_cast<std::int32_t>(line.number_of("priority", 0));
  }
  const std::string running_on = line.text_of("on");
  pod.node_name = line.text_of("bound", running_on);
  if (!running_on.empty()) pod.phase = PodPhase::running;
  pod.terminating = line.flag("terminating");
  if (line.has("owner")) pod.owner = owner_reference(line.text_of("kind"), line.text_of("owner"));
  if (line.has("gang")) pod.gang = {kGangAnnotation, line.text_of("gang")};
  pod.is_daemon = line.flag("of-daemonset");
  pod.runs_forever = line.flag("runs-forever");
  pod.gates = line.list_of("gates");
  if (line.flag("gated")) pod.gates.push_back("example.com/wait");

  Constraints& constraints = pod.constraints;
  constraints.node_selector = read_labels(line.list_of("selector"));
  constraints.has_required_terms = line.has("affinity");
  for (const std::string& term : line.list_of("affinity", ';')) {
    constraints.required_terms.push_back(read_term(line, term));
  }
  for (const std::string& text : line.list_of("prefers", ';')) {
    const std::size_t colon = text.find(':');
    PreferredTerm preferred;
    preferred.weight = std::atoi(text.c_str());
    preferred.term = read_term(line, text.substr(colon + 1));
    constraints.preferred_terms.push_back(std::move(preferred));
  }
  for (const std::string& item : line.list_of("tolerates")) {
    constraints.tolerations.push_back(read_toleration(line, item));
  }
  for (const std::string& item : line.list_of("ports")) {
    constraints.host_ports.push_back(read_port(item));
  }
  constraints.images = line.list_of("images");
  std::sort(constraints.images.begin(), constraints.images.end());
  constraints.unmodelled = line.list_of("unmodelled");
  constraints.fault = line.text_of("fault");
  return pod;
}

}  // namespace berth::support
