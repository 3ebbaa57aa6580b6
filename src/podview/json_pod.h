#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "podview/codec.h"
#include "podview/json_cursor.h"

namespace berth::podview {

// The places of the parts that a copy changes, in the text that the cursor walks.
struct PodPlaces {
  Span pod;
  Span metadata;
  Span spec;
  Span status;
  Span version;
  Span affinity;
  Span nominated;
  Span managed_fields;  // with its key
  bool has_kind = false;
  bool has_api_version = false;
};

// Reads the object of an event or the item of a list. The object may also be a bookmark's or an
// error's.
bool read_object(JsonCursor& json, SeenEvent& event, PodPlaces& places);
bool read_pod(JsonCursor& json, SeenPod& pod);

// See Codec::held() and CopyOf.
Result<std::string> held_json(const SeenPod& pod);
void append_copy(const CopyOf& copy, std::string& out);

// A JSON string.
std::string quoted(std::string_view text);

}  // namespace berth::podview
