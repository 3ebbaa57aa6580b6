#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/exchange.h"

namespace berth::apiview {

// VIEW-1: a list or watch of all pods.
struct PodsRequest {
  bool accepts_protobuf = false;
  bool is_watch = false;
  bool has_initial_events = false;  // a streaming list
  bool is_next_page = false;
  bool is_of_running = false;  // of all pods that have not ended, as kube-scheduler asks for them
  std::string version;         // resourceVersion; empty: any
  std::string client;          // by its User-Agent

  bool is_list() const { return !is_watch || has_initial_events; }
  // Go's client names the version that it has, and lists with "0" if it has none.
  bool names_version() const { return !version.empty() && version != "0"; }
};

// None: another request, which passes untouched.
std::optional<PodsRequest> pods_request(const proxy::Request& request);

// True of the deprecated form of a watch of all pods, which would pass untouched.
bool is_deprecated_watch(const proxy::Request& request);

// Asks upstream for protobuf, not compressed.
void require_format(proxy::Request& request);
// Asks upstream to go on from this version.
void set_version(const std::string& version, proxy::Request& request);

// Asks upstream for a list of the latest version.
void drop_version(proxy::Request& request);
// VIEW-15: the answer to a list that names a version, if upstream answers with that status because
// of the version.
std::optional<proxy::Answer> refused_version(const PodsRequest& list, int status);

// The content type of an answer.
std::string_view content_type(bool is_watch);

// True if an answer has that content type, of a list or a watch.
bool is_in_format(const proxy::Headers& headers);

struct PodName {
  std::string_view name_space;
  std::string_view name;
};
// LEASE-6. A write by which kube-scheduler carries a plan out. Events, questions about rights and
// leases are none.
bool needs_term(const proxy::Request& request);

// VIEW-20: a new event, in protobuf.
bool is_new_event(const proxy::Request& request);

// VIEW-9: the pod whose status the request patches, if it does.
std::optional<PodName> status_patch(const proxy::Request& request);

}  // namespace berth::apiview
