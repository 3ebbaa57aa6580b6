#include "kube/known_fields.h"

#include <map>

#include "berth/base/text.h"

namespace berth::kube {

namespace {

struct Field {
  std::string_view name;
  std::string_view type;  // empty: a scalar, or of any form
};

struct Known {
  std::map<std::string_view, std::string_view> fields;  // name -> type
  std::vector<std::string> names;
};

using Types = std::map<std::string_view, Known>;

void add_field(Known& known, Field field) {
  known.fields.emplace(field.name, field.type);
  known.names.emplace_back(field.name);
}

// Fields of Kubernetes before the version of the table, since 1.27.
void add_older_fields(Types& types) {
  add_field(types["PodResourceClaim"], {"source", "OlderClaimSource"});
  add_field(types["OlderClaimSource"], {"resourceClaimName", ""});
  add_field(types["OlderClaimSource"], {"resourceClaimTemplateName", ""});
  add_field(types["PodSpec"], {"workloadRef", ""});
}

Types read_types() {
  Types types;
  Known* current = nullptr;
  std::string_view text = text_of_known_fields();
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \n");
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (word.empty()) continue;
    if (word.ends_with(':')) {
      current = &types[word.substr(0, word.size() - 1)];
      continue;
    }
    const std::size_t colon = word.find(':');
    const bool is_object = colon != std::string_view::npos;
    add_field(*current, {word.substr(0, colon), is_object ? word.substr(colon + 1) : ""});
  }
  add_older_fields(types);
  return types;
}

const Types& known_types() {
  static const Types kTypes = read_types();
  return kTypes;
}

class FieldCheck {
 public:
  FieldCheck(document::Reading& reading, std::vector<std::string>& warnings)
      : reading_(reading), warnings_(warnings) {}

  void look(std::string_view type, const document::Value& at) {
    for (const document::Value& item : at.items) look(type, item);
    const Known& known = known_types().at(type);
    for (const document::Member& member : at.members) {
      const auto field = known.fields.find(member.key);
      if (field == known.fields.end()) {
        refuse(member, known);
      } else if (!field->second.empty()) {
        look(field->second, member.value);
      }
    }
  }

 private:
  void refuse(const document::Member& member, const Known& known) {
    const auto near = did_you_mean(member.key, known.names);
    if (near) {
      reading_.complain_of_key(member, "no such field; did you mean \"" + *near + "\"?");
    } else {
      const Error error = reading_.error_of_key(
          member, "no such field in the Kubernetes that berth knows; it is ignored");
      warnings_.push_back(error.to_string());
    }
  }

  document::Reading& reading_;
  std::vector<std::string>& warnings_;
};

}  // namespace

void check_fields(std::string_view type, const document::Cursor& at, document::Reading& reading,
                  std::vector<std::string>& warnings) {
  if (at.is_present()) FieldCheck(reading, warnings).look(type, *at.value());
}

bool is_known_field(std::string_view type, std::string_view field) {
  return known_types().at(type).fields.contains(field);
}

}  // namespace berth::kube
