#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "podview/codec.h"

// Pods as an API server writes them, and the client's side of the view.

namespace berth::podview::testing {

using Texts = std::vector<std::string>;

// "zone In a" or "metadata.name In n1"; a name with a dot is a field.
using Terms = std::vector<Texts>;

struct Sample {
  std::string name;
  std::string version;
  std::string uid = "";  // by default the name
  std::string node = "";
  std::string scheduler = "berth";
  bool is_gated = false;
  bool is_terminating = false;
  bool has_required = false;
  Terms required = {};
  bool has_others = false;  // preferred node affinity and pod anti-affinity
  std::string nominated = "";
  bool is_marked = false;  // with kMarker
  bool has_init_container = false;
  bool has_status = true;
  std::string phase = "Pending";
};

std::string pod_text(const Sample& pod);
// The frames of a stream, each with its header.
std::vector<std::string_view> frames_of(std::string_view bytes);

std::string event(const std::string& type, const Sample& pod);
std::string bookmark(const std::string& version, bool ends_initial_events = false);
std::string error(int code, const std::string& reason);
std::string list(const std::string& version, const std::vector<Sample>& pods,
                 const std::string& continuation = "");

// A line for each event: "ADDED a 7 (zone In a & metadata.name In n1) | (...)". Also in a line:
// "on n1" of a bound pod, "nominated n1", "marked", "init", "others", "managed" with managedFields,
// and "damaged" if anything that a sample has is lost.
Texts events_of(std::string_view bytes);
// The items of a list, in the same way, then "list 9".
Texts items_of(std::string_view body);

}  // namespace berth::podview::testing
