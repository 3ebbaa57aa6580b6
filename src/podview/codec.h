#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

// Pods in protobuf, as kube-scheduler reads them: what the rules need is found in the bytes, and
// the view's own events and items are written. Bytes that the rules do not touch stay as they are.

namespace berth::podview {

enum class EventType : std::uint8_t { added, modified, deleted, bookmark, error, other };

// "ADDED"; only of the first three.
std::string_view name_of(EventType type);
EventType event_type_of(std::string_view name);

// A pod as upstream sent it, as long as that is there.
struct SeenPod {
  std::string_view name_space;
  std::string_view name;
  std::string_view uid;
  std::string_view version;
  std::string_view node;
  std::string_view scheduler;
  bool is_gated = false;
  bool is_terminating = false;
  bool is_ended = false;   // Succeeded or Failed
  std::string_view bytes;  // the bare message
};

struct SeenEvent {
  EventType type = EventType::other;
  SeenPod pod;                       // of a bookmark: with a version alone
  bool ends_initial_events = false;  // a bookmark: the initial events of a streaming list are over
  bool is_expired = false;           // an error: the client must list again
};

// The difference between kube-scheduler's copy and the pod.
struct CopyOf {
  std::string_view pod;  // as held() made it
  std::string_view version;
  std::string_view node;      // empty: none is added
  bool is_nominated = false;  // for the node, in place of an affinity
  bool asks_filter = false;   // has the marker
};

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Span&) const = default;
};

// The places of a list's parts in its body.
struct ListParts {
  bool is_of_pods = false;
  bool has_more_pages = false;
  std::string version;
  Span items;              // the PodList
  std::size_t head = 0;    // its tag and length
  std::vector<Span> runs;  // what stays as it is, in order
};

// True if the item stays in the list as it is.
using StaysInList = std::function<Result<bool>(const SeenPod&)>;

// An object of that kind as an API server sends it, and a frame of a watch with one.
std::string enveloped(const char* kind, std::string raw);
void append_frame(std::string_view type, std::string object, std::string& out);

// A frame of a watch, with its header. An Error has the byte within the frame.
Status read_event(std::string_view frame, SeenEvent& event);
void append_event(EventType type, const CopyOf& copy, std::string& out);
// An event that says that the pod is gone.
std::string deleted_event(const SeenPod& pod);
// VIEW-7: the event by which a client lists again.
std::string expired_event();

// The pod without managedFields, to be kept and copied later. An Error if it cannot be copied.
Result<std::string> held(const SeenPod& pod);

Result<ListParts> read_list(std::string_view body, const StaysInList& stays);
// Makes the body the list of what stays, then of the copies. A list of all pods may be large, so
// what stays is moved within it.
void rewrite_list(std::string& body, const ListParts& parts, const std::vector<CopyOf>& copies);

// Why a view asks a client to list again.
inline constexpr std::string_view kExpiredMessage =
    "the view of pods does not know what this client has seen, list again";
inline constexpr std::string_view kEndOfInitialEvents = "k8s.io/initial-events-end";
inline constexpr std::string_view kNameField = "metadata.name";
// VIEW-19: the resource by which kube-scheduler asks the extender about a pod's nodes (deploy/).
inline constexpr std::string_view kMarker = "berth.dev/commit";

}  // namespace berth::podview
