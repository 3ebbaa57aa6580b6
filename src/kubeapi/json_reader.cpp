#include "kubeapi/object_reader.h"

#include <simdjson.h>

#include "document/lexical.h"

namespace berth::kubeapi {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr int kDepthMax = 100;
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view token(ondemand::value& value) {
  const std::string_view raw = value.raw_json_token();
  return raw.substr(0, raw.find_last_not_of(kBlanks) + 1);
}

Error bad_json(simdjson::error_code code) {
  return {std::string("not valid JSON: ") + simdjson::error_message(code), ""};
}

class JsonReader final : public ObjectReader {
 public:
  explicit JsonReader(const KeptKeys* keeps) : keeps_(keeps) {}

  Result<ListMetadata> read_page(
      std::string& page, const std::function<void(const document::Value&)>& on_item) override {
    ListMetadata list;
    page.reserve(page.size() + simdjson::SIMDJSON_PADDING);
    ondemand::document document;
    ondemand::object object;
    if (const auto code = parser_.iterate(page.data(), page.size(), page.capacity()).get(document))
      return bad_json(code);
    if (const auto code = document.get_object().get(object)) return bad_json(code);
    for (auto found : object) {
      ondemand::field field;
      std::string_view key;
      if (const auto code = std::move(found).get(field)) return bad_json(code);
      if (const auto code = field.unescaped_key().get(key)) return bad_json(code);
      if (key == "items") {
        if (const auto code = read_items(field.value(), on_item)) return bad_json(code);
      } else if (key == "metadata") {
        document::Value metadata;
        if (const auto code = build(field.value(), nullptr, 1, metadata)) return bad_json(code);
        list.resource_version = metadata.text_at({"resourceVersion"});
        list.continue_token = metadata.text_at({"continue"});
      }
    }
    const char* rest = nullptr;
    if (!document.current_location().get(rest)) return bad_json(simdjson::TRAILING_CONTENT);
    return list;
  }

  Status read_event(std::string_view line, WatchEvent& event) override {
    line_.assign(line);
    line_.reserve(line_.size() + simdjson::SIMDJSON_PADDING);
    event.type.clear();
    event.object = document::Value();
    ondemand::document document;
    if (const auto code =
            parser_.iterate(line_.data(), line_.size(), line_.capacity()).get(document)) {
      return bad_json(code);
    }
    std::string_view type;
    if (const auto code = document["type"].get_string().get(type)) return bad_json(code);
    event.type = type;
    ondemand::value object;
    if (const auto code = document["object"].get(object)) return bad_json(code);
    // An error event carries a Status object.
    keeps_now_ = event.type == "ERROR" ? nullptr : keeps_;
    if (const auto code = build(object, row_of(""), 1, event.object)) return bad_json(code);
    return Done{};
  }

 private:
  const KeptKeys::Row* row_of(std::string_view under) const {
    return keeps_now_ == nullptr ? nullptr : keeps_now_->find(under);
  }

  simdjson::error_code read_items(ondemand::value list,
                                  const std::function<void(const document::Value&)>& on_item) {
    if (token(list) == "null") return simdjson::SUCCESS;  // an empty list of Go
    keeps_now_ = keeps_;
    const KeptKeys::Row* outermost = row_of("");
    ondemand::array array;
    if (const auto code = list.get_array().get(array)) return code;
    for (auto found : array) {
      ondemand::value item;
      if (const auto code = std::move(found).get(item)) return code;
      document::Value value;
      if (const auto code = build(item, outermost, 1, value)) return code;
      on_item(value);
    }
    return simdjson::SUCCESS;
  }

  // `row` belongs to the object `from`, or to the objects in the list `from`.
  simdjson::error_code build(ondemand::value from, const KeptKeys::Row* row, int depth,
                             document::Value& to) {
    if (depth > kDepthMax) return simdjson::DEPTH_ERROR;
    ondemand::json_type type;
    if (const auto code = from.type().get(type)) return code;
    switch (type) {
      case ondemand::json_type::object:
        return build_map(from, row, depth, to);
      case ondemand::json_type::array:
        return build_list(from, row, depth, to);
      case ondemand::json_type::string: {
        std::string_view text;
        if (const auto code = from.get_string().get(text)) return code;
        to.kind = document::Kind::string;
        to.quoted = true;
        to.text = text;
        return simdjson::SUCCESS;
      }
      case ondemand::json_type::boolean:
        if (const auto code = from.get_bool().get(to.truth)) return code;
        to.kind = document::Kind::boolean;
        to.text = to.truth ? "true" : "false";
        return simdjson::SUCCESS;
      case ondemand::json_type::number:
        to.kind = document::Kind::number;
        to.text = token(from);
        return document::is_json_number(to.text) ? simdjson::SUCCESS : simdjson::NUMBER_ERROR;
      case ondemand::json_type::null:  // or another word with this letter
        return token(from) == "null" ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
    }
    return simdjson::INCORRECT_TYPE;
  }

  simdjson::error_code build_list(ondemand::value from, const KeptKeys::Row* row, int depth,
                                  document::Value& to) {
    ondemand::array array;
    if (const auto code = from.get_array().get(array)) return code;
    to.kind = document::Kind::list;
    for (auto found : array) {
      ondemand::value item;
      if (const auto code = std::move(found).get(item)) return code;
      if (const auto code = build(item, row, depth + 1, to.items.emplace_back())) return code;
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code build_map(ondemand::value from, const KeptKeys::Row* row, int depth,
                                 document::Value& to) {
    ondemand::object object;
    if (const auto code = from.get_object().get(object)) return code;
    to.kind = document::Kind::map;
    for (auto found : object) {
      ondemand::field field;
      std::string_view key;
      if (const auto code = std::move(found).get(field)) return code;
      if (const auto code = field.unescaped_key().get(key)) return code;
      if (row != nullptr && !row->keeps(key)) continue;  // API-9: passed over, not parsed
      document::Member& member = to.members.emplace_back();
      member.key = key;
      if (const auto code = build(field.value(), row_of(key), depth + 1, member.value)) return code;
    }
    return simdjson::SUCCESS;
  }

  const KeptKeys* const keeps_;
  const KeptKeys* keeps_now_ = nullptr;  // of the text being read
  ondemand::parser parser_;
  std::string line_;
};

}  // namespace

std::unique_ptr<ObjectReader> json_reader(const KeptKeys* keeps) {
  return std::make_unique<JsonReader>(keeps);
}

}  // namespace berth::kubeapi
