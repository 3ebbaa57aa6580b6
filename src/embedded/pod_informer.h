#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "embedded/pod_wire.h"

namespace berth::embedded {

// kube-scheduler's informer of pods: the next request, and what comes of its answer.
class PodInformer {
 public:
  struct Handlers {
    std::function<void(const ShownPod&)> put;  // it is new, or has changed
    std::function<void(const std::string& uid)> gone;
  };

  virtual ~PodInformer() = default;
  virtual void set_handlers(Handlers handlers) = 0;

  virtual std::string query() const = 0;  // of its next request for pods
  virtual bool is_listing() const = 0;    // by a plain list
  virtual void take_list(std::string_view body) = 0;
  // False: an error, which ends the stream.
  virtual bool take_event(std::string_view frame) = 0;
  // The answer to a list or to the start of a watch is an error.
  virtual void take_status(int status) = 0;
  // The stream is over, in good order or not. The next request follows.
  virtual void end_stream() = 0;

  // The cache behind it: a pod that is about to be bound to a node, and one whose binding failed.
  virtual void assume([[maybe_unused]] const ShownPod& pod,
                      [[maybe_unused]] const std::string& node) {}
  virtual void forget([[maybe_unused]] const std::string& uid) {}
};

// Lists, then watches from there, and lists again after an error.
class ListingInformer final : public PodInformer {
 public:
  void set_handlers(Handlers handlers) override { handlers_ = std::move(handlers); }
  std::string query() const override;
  bool is_listing() const override { return version_.empty(); }
  void take_list(std::string_view body) override;
  bool take_event(std::string_view frame) override;
  void take_status(int status) override;
  void end_stream() override {}

 private:
  Handlers handlers_;
  std::string version_;                       // empty: it must list
  std::map<std::string, std::string> known_;  // uids, by full name
};

}  // namespace berth::embedded
