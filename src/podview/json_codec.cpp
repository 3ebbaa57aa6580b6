#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "podview/json_pod.h"

namespace berth::podview {

namespace {

constexpr std::size_t kLineMost = std::size_t{32} << 20;

class JsonCodec final : public Codec {
 public:
  Result<std::size_t> frame_size(std::string_view bytes, std::size_t scanned) const override {
    const std::size_t end = bytes.find('\n', scanned);
    if (std::min(end, bytes.size()) >= kLineMost) {
      return Error{
          "an event without an end, expected one within " + std::to_string(kLineMost) + " bytes",
          ""};
    }
    return end == bytes.npos ? 0 : end + 1;
  }

  // Empty lines are none of an API server's, and pass.
  Status read_event(std::string_view frame, SeenEvent& event) const override {
    JsonCursor json(frame);
    PodPlaces places;
    if (json.peek() == '\0') return Done{};
    const bool is_read = json.members([&](std::string_view key, std::size_t) {
      std::string type;
      if (key == "object") return read_object(json, event, places);
      if (key != "type") return json.skip();
      const bool is_text = json.text(type);
      event.type = event_type_of(type);
      return is_text;
    });
    return is_read && json.end() ? Status(Done{}) : json.fault();
  }

  Result<std::string> held(const SeenPod& pod) const override { return held_json(pod); }

  void append_event(EventType type, const CopyOf& copy, std::string& out) const override {
    out += "{\"type\":\"";
    out += name_of(type);
    out += "\",\"object\":";
    append_copy(copy, out);
    out += "}\n";
  }

  std::string expired_event() const override {
    return R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
           R"("status":"Failure","message":)" +
           quoted(kExpiredMessage) + R"(,"reason":"Expired","code":410}})" + "\n";
  }

  Result<ListParts> read_list(std::string_view body, const StaysInList& stays) const override {
    JsonCursor json(body);
    ListParts parts;
    std::string kind;
    std::optional<Error> refused;
    const bool is_read = json.members([&](std::string_view key, std::size_t) {
      if (key == "kind") return json.text(kind);
      if (key == "metadata") return read_head(json, parts);
      if (key != "items") return json.skip();
      if (parts.items.is_there()) return json.fail("\"items\" stands there twice");
      return json.read(parts.items, [&] { return read_items(json, stays, parts, refused); });
    });
    if (refused) return *refused;
    if (!is_read || !json.end()) return json.fault();
    parts.is_of_pods = kind == "PodList" && parts.items.is_there();
    return parts;
  }

  // Before each run there is room for a comma: the one before it, or before what is left out.
  void rewrite_list(std::string& body, const ListParts& parts,
                    const std::vector<CopyOf>& copies) const override {
    const std::string tail = body.substr(parts.items.end);
    const std::size_t first = parts.items.begin + 1;
    std::size_t end = first;
    for (const Span& run : parts.runs) {
      if (end != first) body[end++] = ',';
      end = move_run(body, run, end);
    }
    body[parts.items.begin] = '[';
    body.resize(end);
    for (const CopyOf& copy : copies) {
      if (body.size() != first) body += ',';
      append_copy(copy, body);
    }
    body += ']';
    body += tail;
  }

 private:
  static bool read_head(JsonCursor& json, ListParts& parts) {
    return json.members([&](std::string_view key, std::size_t) {
      if (key == "resourceVersion") return json.text(parts.version);
      if (key != "continue") return json.skip();
      std::string token;
      const bool is_read = json.text(token);
      parts.has_more_pages = !token.empty();
      return is_read;
    });
  }

  // Items that stay and stand side by side are one run.
  static bool read_items(JsonCursor& json, const StaysInList& stays, ListParts& parts,
                         std::optional<Error>& refused) {
    SeenPod pod;
    bool goes_on = false;
    return json.items([&] {
      pod.clear();
      Span place;
      if (!json.read(place, [&] { return read_pod(json, pod); })) return false;
      const auto stays_here = stays(pod);
      if (!stays_here) refused = stays_here.error();
      if (refused) return false;
      if (!*stays_here) {
        goes_on = false;
        return true;
      }
      if (!goes_on) parts.runs.push_back(place);
      parts.runs.back().end = place.end;
      goes_on = true;
      return true;
    });
  }
};

}  // namespace

const Codec& json_codec() {
  static const JsonCodec codec;
  return codec;
}

}  // namespace berth::podview
