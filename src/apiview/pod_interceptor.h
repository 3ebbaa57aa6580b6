#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "apiview/pods_request.h"
#include "podview/memory.h"
#include "podview/pod_stream.h"
#include "podview/pod_window.h"
#include "ports/attempts.h"
#include "ports/event_sink.h"
#include "ports/published.h"
#include "ports/shown_pods.h"
#include "proxy/exchange.h"

namespace berth::apiview {

class PodListExchange;
class PodWatch;

// Filters the pods that kube-scheduler reads, and takes its reports about them
// (docs/design/view.md). Everything runs on the proxy's thread.
class PodInterceptor final : public proxy::Interceptor {
 public:
  struct Parts {
    podview::Managed schedulers;
    const ports::Published<ports::ShownPods>& shown;
    const ports::Attempts& attempts;
    ports::EventSink& events;  // gets the vetoes
    std::function<void(const std::string& pod_uid)> attempt_ended;
    std::function<void(const std::string& message)> complain;
    // Bytes of all lists that are read or sent: half of the container's memory (deploy/), and twice
    // what 150,000 pods take.
    std::size_t list_most = std::size_t{1} << 30;
    const ports::Leadership* leadership = nullptr;  // null: this berthd always leads
    podview::PodWindow* window = nullptr;           // null: each watch goes upstream
  };
  // The parts must outlive this, and this the proxy.
  explicit PodInterceptor(Parts parts) : parts_(std::move(parts)) {}

  std::unique_ptr<proxy::Exchange> intercept(proxy::Request& request, proxy::Reply& reply) override;
  bool reads_body(const proxy::Request& request) const override;
  std::optional<proxy::Answer> answer(const proxy::Request& request,
                                      std::string_view body) override;
  std::optional<proxy::Answer> refusal(const proxy::Request& request) override;

  // The table of shown pods is another one, or deferred pods are to be looked at again.
  void follow();
  podview::PodWindow* window() const { return parts_.window; }  // may be null
  // VIEW-17: there are events in the window.
  void read_window();
  // VIEW-5: follow() is to be called again soon. Any thread.
  bool has_deferred() const { return has_deferred_.load(std::memory_order_relaxed); }
  // A client lists or watches pods now. Any thread.
  bool is_read() const { return readers_ > 0; }

  // --- for the exchanges --------------------------------------------------------------------
  const Parts& parts() const { return parts_; }
  void begin(PodWatch& watch) { readers_ += watches_.insert(&watch).second; }
  void end(PodWatch& watch) { readers_ -= watches_.erase(&watch); }
  void begin(PodListExchange& list) { readers_ += lists_.insert(&list).second; }
  void end(PodListExchange& list) { readers_ -= lists_.erase(&list); }
  bool take_list_bytes(std::size_t bytes);  // false: too many
  void release_list_bytes(std::size_t bytes) { list_bytes_ -= bytes; }
  // VIEW-7: what the client knows now, until it goes on from there or lists again.
  void keep(std::string client, podview::Memory memory);
  // VIEW-15: upstream has refused the client's version, so its next lists are asked for without
  // one.
  void ask_without_version(const std::string& client);
  void defer() { has_deferred_.store(true, std::memory_order_relaxed); }
  void complain(const std::string& message) const { parts_.complain(message); }

 private:
  struct Kept {
    std::string client;
    podview::Memory memory;
  };

  std::unique_ptr<proxy::Exchange> watch(const PodsRequest& pods, proxy::Request& request,
                                         proxy::Reply& reply);
  std::unique_ptr<proxy::Exchange> list(const PodsRequest& pods, proxy::Reply& reply);
  podview::Memory memory_of_list(const PodsRequest& pods);
  std::optional<podview::Memory> take_kept(
      const PodsRequest& pods, const std::function<bool(const podview::Memory&)>& is_wanted);
  std::optional<proxy::Answer> answer_event(std::string_view body) const;
  std::optional<proxy::Answer> answer_report(const proxy::Request& request, std::string_view body);
  const podview::HeldPod* find(const PodName& pod) const;

  Parts parts_;
  std::set<PodWatch*> watches_;
  std::set<PodListExchange*> lists_;
  std::atomic<std::size_t> readers_ = 0;  // of both
  std::size_t list_bytes_ = 0;
  std::list<Kept> kept_;                // the latest first
  std::list<std::string> unversioned_;  // clients, the latest first
  std::atomic<bool> has_deferred_ = false;
};

}  // namespace berth::apiview
