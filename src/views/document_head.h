#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "berth/model/written_status.h"
#include "document/cursor.h"

// The first two fields of each JSON document that Berth prints or serves (docs/output.md), and
// amounts in it.

namespace berth::views {

inline constexpr const char* kDocumentVersion = "berth.dev/v1";

// {"apiVersion": "berth.dev/v1", "kind": kind}
inline nlohmann::ordered_json document_of_kind(const char* kind) {
  return {{"apiVersion", kDocumentVersion}, {"kind", kind}};
}

// {"cpu": "1500m"}
inline nlohmann::ordered_json json_of(const NamedAmounts& amounts) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [resource, amount] : amounts) json[resource] = format_quantity(resource, amount);
  return json;
}

// null: none
inline nlohmann::ordered_json json_of(const std::optional<TimePoint>& time) {
  using Json = nlohmann::ordered_json;
  return time ? Json(format_time(*time)) : Json(nullptr);
}

// Complains about another version or kind. Documents without these fields are of an older berthd.
inline void check_head(const document::Cursor& root, const std::string& kind) {
  const document::Cursor version = root["apiVersion"];
  if (version.is_present() && version.text() != kDocumentVersion) {
    version.complain("\"" + version.text() + "\" is not known, expected " + kDocumentVersion);
  }
  const document::Cursor stated = root["kind"];
  if (stated.is_present() && stated.text() != kind) {
    stated.complain("\"" + stated.text() + "\" is another document, expected " + kind);
  }
}

}  // namespace berth::views
