#include "protobuf/objects.h"

#include <google/protobuf/descriptor.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/check.h"
#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "protobuf/objects.pb.h"

namespace berth::protobuf {

namespace pb = google::protobuf;
using document::Kind;
using document::Value;

namespace {

constexpr std::int64_t kSecondsMost = 9'000'000'000;  // what a TimePoint can be, year 2255
constexpr std::string_view kInlined = "volumeSource";
// As large as the object, and read by nobody.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

enum class Form : std::uint8_t { none, passed_over, text, number, boolean, quantity, time, object };

// Bytes that are not UTF-8 are replaced.
std::string readable(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  if (simdjson::validate_utf8(text)) return std::string(text);
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const bool is_good = next_character(text, at) != 0xFFFD;
    made += is_good ? text.substr(start, at - start) : kReplacement;
  }
  return made;
}

void set_text(std::string text, Value& to) {
  to.kind = Kind::string;
  to.quoted = true;
  to.text = std::move(text);
}

Value& member(Value& map, std::string_view key) {
  const auto found = std::find_if(map.members.begin(), map.members.end(),
                                  [&](const document::Member& each) { return each.key == key; });
  if (found != map.members.end()) return found->value;
  document::Member& added = map.members.emplace_back();
  added.key = key;
  return added.value;
}

}  // namespace

// The fields of a message, by their numbers.
struct Shape {
  struct Entry {
    Form form = Form::none;
    bool is_list = false;
    bool is_map = false;       // `form` and `of` are those of its values
    bool may_be_zero = false;  // it counts if it is there
    bool is_inlined = false;
    std::string key;
    const Shape* of = nullptr;
  };

  const Entry& at(std::uint32_t number) const {
    static const Entry kNone;
    return number < entries.size() ? entries[number] : kNone;
  }

  std::vector<Entry> entries;
  bool names_unknown = false;  // HINT-1
};

class Shapes {
 public:
  Shapes() {
    const pb::FileDescriptor* file = k8s::Pod::descriptor()->file();
    for (int i = 0; i < file->message_type_count(); ++i) of(*file->message_type(i));
  }

  const Shape* find(std::string_view kind) const {
    const auto found = shapes_.find(std::string(kind));
    return found == shapes_.end() ? nullptr : &found->second;
  }

 private:
  static Form form_of(const pb::FieldDescriptor& field) {
    switch (field.type()) {
      case pb::FieldDescriptor::TYPE_STRING:
        return Form::text;
      case pb::FieldDescriptor::TYPE_BOOL:
        return Form::boolean;
      case pb::FieldDescriptor::TYPE_MESSAGE:
        if (field.message_type()->name() == "Quantity") return Form::quantity;
        return field.message_type()->name() == "Time" ? Form::time : Form::object;
      default:
        return Form::number;
    }
  }

  Shape::Entry entry_of(const pb::FieldDescriptor& field) {
    Shape::Entry entry;
    entry.key = field.name();
    entry.is_map = field.is_map();
    entry.is_list = field.is_repeated() && !entry.is_map;
    entry.may_be_zero = field.has_presence() || entry.is_list;
    entry.is_inlined = field.name() == kInlined;
    const pb::FieldDescriptor& values =
        entry.is_map ? *field.message_type()->FindFieldByNumber(number::kValue) : field;
    entry.form = form_of(values);
    if (entry.form == Form::object) entry.of = &of(*values.message_type());
    return entry;
  }

  const Shape& of(const pb::Descriptor& type) {
    const auto [place, is_new] = shapes_.try_emplace(type.name());
    Shape& made = place->second;
    if (!is_new) return made;
    made.names_unknown = type.name() == "PodSpec";
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      at(made, field.number()) = entry_of(field);
    }
    for (int i = 0; i < type.reserved_range_count(); ++i) {
      const auto* range = type.reserved_range(i);
      for (int number = range->start; number < range->end; ++number) {
        at(made, number).form = Form::passed_over;
      }
    }
    return made;
  }

  static Shape::Entry& at(Shape& shape, int number) {
    const auto place = static_cast<std::size_t>(number);
    if (shape.entries.size() <= place) shape.entries.resize(place + 1);
    return shape.entries[place];
  }

  std::map<std::string, Shape> shapes_;  // which point at each other
};

namespace {

class ObjectWalk {
 public:
  explicit ObjectWalk(Reader& reader) : reader_(reader) {}

  bool read(std::string_view message, const Shape& shape, Value& to) {
    to.kind = Kind::map;
    return reader_.each(message, "an object", [&](const Field& field) {
      const Shape::Entry& entry = shape.at(field.number);
      if (entry.form == Form::passed_over) return true;
      if (entry.form != Form::none) return take(field, entry, to);
      const bool is_zero = field.content.empty() && field.value == 0;  // which Go may always write
      if (shape.names_unknown && !is_zero) member(to, "field " + std::to_string(field.number));
      return true;
    });
  }

 private:
  bool take(const Field& field, const Shape::Entry& entry, Value& to) {
    if (entry.is_map) return take_entry(field.content, entry, to);
    if (entry.is_list) {
      Value& list = member(to, entry.key);
      list.kind = Kind::list;
      return take_value(field, entry, list.items.emplace_back());
    }
    if (entry.is_inlined) return read(field.content, *entry.of, to);
    if (is_absent(field, entry)) return true;
    return take_value(field, entry, member(to, entry.key));
  }

  // Go writes what is zero, too, and an empty message for no time.
  static bool is_absent(const Field& field, const Shape::Entry& entry) {
    if (entry.form == Form::time) return field.content.empty();
    if (entry.may_be_zero) return false;
    return field.content.empty() && field.value == 0;
  }

  bool take_entry(std::string_view entry_bytes, const Shape::Entry& entry, Value& to) {
    Field value;
    std::string_view key;
    if (!reader_.entry(entry_bytes, key, value.content)) return false;
    if (key == kLastApplied) return true;
    Value& map = member(to, entry.key);
    map.kind = Kind::map;
    document::Member& added = map.members.emplace_back();
    added.key = readable(key);
    return take_value(value, entry, added.value);
  }

  bool take_value(const Field& field, const Shape::Entry& entry, Value& to) {
    switch (entry.form) {
      case Form::text:
        set_text(readable(field.content), to);
        return true;
      case Form::number:
        to.kind = Kind::number;
        to.text = std::to_string(static_cast<std::int64_t>(field.value));
        return true;
      case Form::boolean:
        to.kind = Kind::boolean;
        to.truth = field.value != 0;
        to.text = to.truth ? "true" : "false";
        return true;
      case Form::quantity:
        return take_first(field.content,
                          [&](const Field& part) { set_text(readable(part.content), to); });
      case Form::time:
        set_text("1970-01-01T00:00:00Z", to);
        return take_first(field.content, [&](const Field& part) {
          const auto since = static_cast<std::int64_t>(part.value);
          to.text = format_time(
              TimePoint(std::chrono::seconds(std::clamp<std::int64_t>(since, 0, kSecondsMost))));
        });
      case Form::object:
        return read(field.content, *entry.of, to);
      case Form::none:
      case Form::passed_over:
        break;
    }
    return true;
  }

  template <class OnFirst>
  bool take_first(std::string_view message, OnFirst&& on_first) {
    return reader_.each(message, "a value", [&](const Field& field) {
      if (field.number == 1) on_first(field);
      return true;
    });
  }

  Reader& reader_;
};

const Shapes& shapes() {
  static const Shapes kShapes;
  return kShapes;
}

}  // namespace

const Shape* find_shape(std::string_view kind) { return shapes().find(kind); }

bool read_object(Reader& reader, std::string_view message, const Shape& shape, Value& to) {
  return ObjectWalk(reader).read(message, shape, to);
}

std::string message_of_status(std::string_view body) {
  Reader reader(body);
  Envelope envelope;
  Value status;
  const bool is_read = reader.envelope(body, envelope) && envelope.kind == "Status" &&
                       read_object(reader, envelope.raw, *find_shape("Status"), status);
  return is_read ? status.text_at({"message"}) : std::string();
}

}  // namespace berth::protobuf
