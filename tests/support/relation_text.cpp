#include "support/relation_text.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "berth/base/text.h"
#include "support/pod_text.h"

namespace berth::support {

namespace {

using Parts = std::vector<std::string>;

std::string part(const Parts& parts, std::size_t index) {
  return index < parts.size() ? parts[index] : "";
}

// "app:db,role:in:a|b,old:absent"; "*": every pod.
std::vector<Expression> read_requirements(SceneLine& line, const std::string& text) {
  std::vector<Expression> all;
  if (text == "*") return all;
  for (const std::string& item : split_list(text, ',')) {
    const auto words = split_list(item, ':');
    const bool is_equal =
        words.size() == 2 && words[1] != "exists" && words[1] != "absent" && words[1] != "in";
    all.push_back(is_equal ? Expression{words[0], Operator::in, {words[1]}}
                           : read_expression(line, item));
    std::sort(all.back().values.begin(), all.back().values.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

PodSelector read_selector(SceneLine& line, const std::string& text) {
  if (text == "none") return {{}, true};
  if (text.empty()) line.accuse("expected a selector, * or none");
  return {read_requirements(line, text), false};
}

// SELECTOR@KEY[@NAMESPACE|NAMESPACE[@NAMESPACE SELECTOR]]
PodTerm read_term(SceneLine& line, const std::string& name_space, const std::string& text) {
  const Parts parts = parts_of(text, '@');
  PodTerm term;
  term.pods = read_selector(line, parts[0]);
  term.topology_key = part(parts, 1);
  if (term.topology_key.empty() || parts.size() > 4) {
    line.accuse("expected SELECTOR@KEY@NAMESPACES@SELECTOR, not \"" + text + "\"");
  }
  term.namespaces = split_list(part(parts, 2), '|');
  std::sort(term.namespaces.begin(), term.namespaces.end());
  term.selects_namespaces = parts.size() > 3;
  if (term.selects_namespaces) term.of_namespaces = read_requirements(line, parts[3]);
  if (term.namespaces.empty() && !term.selects_namespaces) term.namespaces = {name_space};
  return term;
}

// SELECTOR@KEY@SKEW[@min:2][@affinity:ignore][@taints:honor]
SpreadConstraint read_spread(SceneLine& line, const std::string& text) {
  const Parts parts = parts_of(text, '@');
  SpreadConstraint spread;
  spread.pods = read_selector(line, parts[0]);
  spread.is_empty = parts[0] == "*";
  spread.topology_key = part(parts, 1);
  spread.max_skew = std::atoi(part(parts, 2).c_str());
  if (spread.topology_key.empty() || spread.max_skew < 1) {
    line.accuse("expected SELECTOR@KEY@SKEW, not \"" + text + "\"");
  }
  for (std::size_t i = 3; i < parts.size(); ++i) {
    const std::string& option = parts[i];
    if (option == "affinity:ignore") {
      spread.affinity = NodePolicy::ignore;
    } else if (option == "taints:honor") {
      spread.taints = NodePolicy::honor;
    } else if (option.starts_with("min:")) {
      spread.min_domains = std::atoi(option.c_str() + 4);
    } else {
      line.accuse("expected min:N, affinity:ignore or taints:honor, not \"" + option + "\"");
    }
  }
  return spread;
}

}  // namespace

Relations read_relations(SceneLine& line, const std::string& name_space) {
  Relations relations;
  const auto read_terms = [&](const char* option, std::vector<PodTerm>& to) {
    for (const std::string& text : line.list_of(option, ';')) {
      to.push_back(read_term(line, name_space, text));
    }
    std::sort(to.begin(), to.end());
  };
  const auto read_preferred = [&](const char* option, std::int32_t sign) {
    for (const std::string& text : line.list_of(option, ';')) {
      PreferredPodTerm preferred{sign * std::atoi(text.c_str()), {}};
      if (preferred.weight == 0) line.accuse("expected WEIGHT:TERM, not \"" + text + "\"");
      const std::size_t colon = std::min(text.find(':'), text.size() - 1);
      preferred.term = read_term(line, name_space, text.substr(colon + 1));
      relations.preferred.push_back(std::move(preferred));
    }
  };
  const auto read_spreads = [&](const char* option, std::vector<SpreadConstraint>& to) {
    for (const std::string& text : line.list_of(option, ';')) to.push_back(read_spread(line, text));
  };
  read_terms("near", relations.affinity);
  read_terms("apart", relations.anti_affinity);
  read_preferred("prefers-near", 1);
  read_preferred("prefers-apart", -1);
  std::sort(relations.preferred.begin(), relations.preferred.end());
  read_spreads("spread", relations.spread);
  read_spreads("prefers-spread", relations.preferred_spread);
  if (!relations.are_empty()) relations.name_space = name_space;
  return relations;
}

}  // namespace berth::support
