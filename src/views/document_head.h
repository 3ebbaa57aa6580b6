#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "berth/model/time_limit.h"
#include "berth/model/written_status.h"
#include "document/cursor.h"
#include "views/room_time.h"

// The first two fields of each JSON document that Berth prints or serves (docs/output.md), and
// amounts in it.

namespace berth::views {

inline constexpr const char* kDocumentVersion = "berth.dev/v1";

// {"apiVersion": "berth.dev/v1", "kind": kind}
inline nlohmann::ordered_json document_of_kind(const char* kind) {
  return {{"apiVersion", kDocumentVersion}, {"kind", kind}};
}

// As it is printed or served: indented, with a line feed at its end. Bytes that are no UTF-8 are
// replaced.
inline std::string document_text(const nlohmann::ordered_json& document) {
  constexpr int kIndent = 1;
  return document.dump(kIndent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
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

// {"cpu": "12.5"}
inline nlohmann::ordered_json json_of(const RoomTimes& times) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [resource, time] : times) json[resource] = format_room_time(resource, time);
  return json;
}

// null: none
inline nlohmann::ordered_json json_of(const std::optional<TimeLimit>& limit) {
  if (!limit) return nullptr;
  const auto length = std::chrono::floor<std::chrono::seconds>(limit->length);
  return {{"seconds", length.count()},
          {"source", to_string(limit->source)},
          {"enforced", is_enforced(limit->source)}};
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
