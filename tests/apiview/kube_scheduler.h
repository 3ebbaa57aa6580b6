#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

// The pod informer of kube-scheduler, and the part of its cache that ends it
// (client-go/tools/cache/reflector.go, controller.go and its queues;
// kubernetes/pkg/scheduler/eventhandlers.go and backend/cache/cache.go; read in 1.27.4, 1.34.4,
// 1.35.4, 1.36.3 and 1.37.2).

namespace berth::apiview::testing {

enum class Release {
  to_1_32,   // lists; a handler of bound pods and one of waiting ones; DeltaFIFO
  to_1_34,   // the same, with a queue that keeps the order
  from_1_35  // streaming lists; one handler of all pods
};

struct Pod {
  std::string name;
  std::string uid;
  std::string version;
  std::string node;
  std::string scheduler;
  std::string affinity;  // the node of metadata.name, of a pod that the view shows

  bool is_bound() const { return !node.empty(); }
};

class KubeScheduler {
 public:
  explicit KubeScheduler(Release release) : release_(release) {}

  // Why it has ended itself; empty while it lives.
  const std::string& end() const { return end_; }
  // Faults of its cache, which one that hears of every change does not have.
  const std::vector<std::string>& complaints() const { return complaints_; }
  // By name.
  const std::map<std::string, Pod>& store() const { return store_; }
  // The nodes of bound pods, by uid.
  std::map<std::string, std::string> bound() const;

  // --- the reflector ------------------------------------------------------------------------
  std::string query() const;  // of its next request for pods
  bool is_listing() const { return must_list_ && !is_streaming(); }
  void take_list(std::string_view body);
  bool take_event(std::string_view frame);  // false: an error, which ends the stream
  // The answer to a list or to the start of a watch is an error.
  void take_status(int status);
  // The stream is over, in good order or not. The next request follows.
  void end_stream();

  // --- binding ------------------------------------------------------------------------------
  void assume(const Pod& pod);
  // The bind call has failed.
  void forget(const std::string& uid);
  bool has_assumed(const std::string& uid) const;

 private:
  struct Cached {
    std::string node;
    bool is_assumed = false;
  };

  bool is_streaming() const { return release_ == Release::from_1_35 && !falls_back_; }
  void check_version(const std::string& type, const Pod& pod);
  void replace(const std::map<std::string, Pod>& with, const std::string& version);
  void put(const Pod& pod);
  void remove(const Pod& pod);
  void on_add(const Pod& pod);
  void on_update(const Pod& old, const Pod& pod);
  void on_delete(const Pod& pod, bool is_tombstone);
  void add_to_cache(const Pod& pod);
  void update_in_cache(const Pod& old, const Pod& pod);
  void remove_from_cache(const Pod& pod);

  Release release_;
  std::string end_;
  std::vector<std::string> complaints_;
  std::map<std::string, Pod> store_;
  std::map<std::string, Cached> cache_;  // by uid

  bool must_list_ = true;
  bool falls_back_ = false;  // to a list, since a streaming list has failed
  std::string version_;
  bool is_version_unavailable_ = false;
  std::map<std::string, Pod> initial_;  // events before the bookmark
};

}  // namespace berth::apiview::testing
