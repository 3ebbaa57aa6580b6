#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

// The two formats in which kube-scheduler reads pods. A codec finds in them what the rules need,
// and writes the view's own events and items. Bytes that the rules do not touch stay as they are.

namespace berth::podview {

enum class Format : std::uint8_t { protobuf, json };

enum class EventType : std::uint8_t { added, modified, deleted, bookmark, error, other };

// "ADDED"; only of the first three.
std::string_view name_of(EventType type);
EventType event_type_of(std::string_view name);

// A pod as upstream sent it.
struct SeenPod {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string version;
  std::string node;
  std::string scheduler;
  bool is_gated = false;
  bool is_terminating = false;
  std::string_view bytes;  // protobuf: the bare message; JSON: the object

  void clear();
};

struct SeenEvent {
  EventType type = EventType::other;
  SeenPod pod;                       // of a bookmark: with a version alone
  bool ends_initial_events = false;  // a bookmark: the initial events of a streaming list are over
  bool is_expired = false;           // an error: the client must list again

  void clear();
};

// The difference between kube-scheduler's copy and the pod.
struct CopyOf {
  std::string_view pod;  // as Codec::held() made it
  std::string_view version;
  std::string_view node;      // empty: none is added
  bool is_nominated = false;  // for the node, in place of an affinity
};

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool is_there() const { return end != 0; }
  bool operator==(const Span&) const = default;
};

// The places of a list's parts in its body.
struct ListParts {
  bool is_of_pods = false;
  bool has_more_pages = false;
  std::string version;
  Span items;              // JSON: the list with its brackets; protobuf: the PodList
  std::size_t head = 0;    // protobuf: the PodList's tag and length
  std::vector<Span> runs;  // what stays as it is, in order
};

// True if the item stays in the list as it is.
using StaysInList = std::function<Result<bool>(const SeenPod&)>;

// Functions of bytes: any thread.
class Codec {
 public:
  virtual ~Codec() = default;

  // The length of the first frame of a stream; 0 if it is not whole yet. The first `scanned` bytes
  // were looked at before.
  virtual Result<std::size_t> frame_size(std::string_view bytes, std::size_t scanned) const = 0;
  // An Error has the byte within the frame.
  virtual Status read_event(std::string_view frame, SeenEvent& event) const = 0;

  // The pod without managedFields, to be kept and copied later. An Error if it cannot be copied.
  virtual Result<std::string> held(const SeenPod& pod) const = 0;
  virtual void append_event(EventType type, const CopyOf& copy, std::string& out) const = 0;
  virtual std::string expired_event() const = 0;

  virtual Result<ListParts> read_list(std::string_view body, const StaysInList& stays) const = 0;
  // Makes the body the list of what stays, then of the copies. A list of all pods may be large, so
  // what stays is moved within it.
  virtual void rewrite_list(std::string& body, const ListParts& parts,
                            const std::vector<CopyOf>& copies) const = 0;
};

// Moves the run to the left. Returns where it ends.
std::size_t move_run(std::string& body, const Span& run, std::size_t to);

const Codec& codec_of(Format format);
const Codec& protobuf_codec();
const Codec& json_codec();

// Why a view asks a client to list again.
inline constexpr std::string_view kExpiredMessage =
    "the view of pods does not know what this client has seen, list again";
inline constexpr std::string_view kEndOfInitialEvents = "k8s.io/initial-events-end";
inline constexpr std::string_view kNameField = "metadata.name";

}  // namespace berth::podview
