#pragma once

#include <string>
#include <string_view>

#include "document/value.h"

// Objects in protobuf, as an API server writes them, from their JSON. A key that
// src/protobuf/objects.proto does not name is left out.

namespace berth::support {

// The message alone. `kind`: "Pod".
std::string protobuf_message(const document::Value& object, std::string_view kind);
// An object, or a Status, with its envelope.
std::string protobuf_object(std::string_view json, std::string_view kind);
// A list with its envelope, from {"metadata":...,"items":[...]}.
std::string protobuf_list(std::string_view json, std::string_view kind);
// The frame of a watch event, from {"type":"ADDED","object":...}.
std::string protobuf_frame(std::string_view json, std::string_view kind);

}  // namespace berth::support
