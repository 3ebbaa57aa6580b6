#pragma once

#include <string>
#include <string_view>

#include "document/value.h"
#include "protobuf/reader.h"

// Kubernetes' objects in protobuf as the values that the decoders of src/kube read, so that each
// decoder is written once. Only what objects.proto names is read.

namespace berth::protobuf {

struct Shape;

// Of a message of objects.proto: "Pod". Null: there is none. Any thread.
const Shape* find_shape(std::string_view kind);

// Reads the message into `to`, an empty value. False after a fault. Text that is not UTF-8 becomes
// as JSON would have it.
bool read_object(Reader& reader, std::string_view message, const Shape& shape, document::Value& to);

// The message of a Status object with its envelope; empty: it is none.
std::string message_of_status(std::string_view body);

}  // namespace berth::protobuf
