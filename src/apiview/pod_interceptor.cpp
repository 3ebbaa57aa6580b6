#include "apiview/pod_interceptor.h"

#include <algorithm>
#include <utility>

#include "apiview/pod_list_exchange.h"
#include "apiview/pod_watch.h"
#include "podview/pod_list.h"
#include "podview/refusal.h"
#include "podview/scheduled_event.h"
#include "ports/plan_table.h"
#include "proxy/answers.h"

namespace berth::apiview {

namespace {

// One kube-scheduler has one stream of pods; people may look through the view, too.
constexpr std::size_t kKeptMost = 4;

// An answer without an upstream.
class Answered final : public proxy::Exchange {
 public:
  void on_head(int, proxy::Headers) override {}
  void on_body(std::string_view) override {}
  void on_end() override {}
  void on_failure(const std::string&) override {}
};

}  // namespace

std::unique_ptr<proxy::Exchange> PodInterceptor::intercept(proxy::Request& request,
                                                           proxy::Reply& reply) {
  if (is_deprecated_watch(request)) {
    proxy::send(proxy::status_answer(400, "the view has no such path, ask /api/v1/pods?watch=true"),
                reply);
    return std::make_unique<Answered>();
  }
  const std::optional<PodsRequest> pods = pods_request(request);
  if (!pods) return nullptr;
  if (!pods->accepts_protobuf) {  // VIEW-18
    constexpr int kNotAcceptable = 406;
    proxy::send(proxy::status_answer(kNotAcceptable,
                                     "the view has pods in protobuf only: accept "
                                     "application/vnd.kubernetes.protobuf, as kube-scheduler does "
                                     "without a clientConnection.acceptContentTypes of its own"),
                reply);
    return std::make_unique<Answered>();
  }
  require_format(request);
  const bool is_unversioned =
      std::find(unversioned_.begin(), unversioned_.end(), pods->client) != unversioned_.end();
  if (pods->is_list() && is_unversioned) drop_version(request);
  return pods->is_watch ? watch(*pods, request, reply) : list(*pods, reply);
}

std::unique_ptr<proxy::Exchange> PodInterceptor::watch(const PodsRequest& pods,
                                                       proxy::Request& request,
                                                       proxy::Reply& reply) {
  using podview::PodStream;
  const auto stream = [&](PodStream made) {
    return std::make_unique<PodWatch>(*this, pods, reply, std::move(made));
  };
  if (pods.has_initial_events) {
    return stream(PodStream::listing(memory_of_list(pods), parts_.schedulers, parts_.attempts));
  }
  if (!pods.names_version()) {
    return stream(PodStream::fresh(parts_.schedulers, parts_.attempts));
  }
  std::optional<podview::Memory> memory = take_kept(pods, [&](const podview::Memory& each) {
    return each.can_resume() && each.version_sent == pods.version;
  });
  if (!memory) {  // VIEW-7
    proxy::send(
        {200, {{"content-type", std::string(content_type(true))}}, podview::expired_event()},
        reply);
    return std::make_unique<Answered>();
  }
  set_version(memory->version_seen, request);
  auto made = stream(PodStream::resumed(*std::move(memory), parts_.schedulers, parts_.attempts));
  made->begin_in_window();
  return made;
}

std::unique_ptr<proxy::Exchange> PodInterceptor::list(const PodsRequest& pods,
                                                      proxy::Reply& reply) {
  if (!pods.is_next_page) {
    return std::make_unique<PodListExchange>(*this, pods, reply, memory_of_list(pods));
  }
  std::optional<podview::Memory> memory =
      take_kept(pods, [](const podview::Memory& each) { return !each.is_whole; });
  if (memory) return std::make_unique<PodListExchange>(*this, pods, reply, *std::move(memory));
  proxy::send(proxy::status_answer(410, podview::kExpiredMessage), reply);
  return std::make_unique<Answered>();
}

// The version that a client names says what it has. A memory that ends at another version is of
// another client.
podview::Memory PodInterceptor::memory_of_list(const PodsRequest& pods) {
  std::optional<podview::Memory> before = take_kept(pods, [&](const podview::Memory& each) {
    return !pods.names_version() || !each.is_whole || each.version_sent == pods.version;
  });
  podview::Memory memory =
      before ? podview::Memory::listing_again(*std::move(before)) : podview::Memory();
  if (pods.names_version()) memory.former.version = pods.version;
  return memory;
}

void PodInterceptor::ask_without_version(const std::string& client) {
  unversioned_.remove(client);
  unversioned_.push_front(client);
  if (unversioned_.size() > kKeptMost) unversioned_.pop_back();
}

std::optional<podview::Memory> PodInterceptor::take_kept(
    const PodsRequest& pods, const std::function<bool(const podview::Memory&)>& is_wanted) {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) {
    return each.client == pods.client && is_wanted(each.memory);
  });
  if (found == kept_.end()) return std::nullopt;
  std::optional<podview::Memory> memory = std::move(found->memory);
  kept_.erase(found);
  return memory;
}

bool PodInterceptor::take_list_bytes(std::size_t bytes) {
  if (bytes > parts_.list_most - list_bytes_) return false;
  list_bytes_ += bytes;
  return true;
}

void PodInterceptor::keep(std::string client, podview::Memory memory) {
  if (memory.is_whole) unversioned_.remove(client);
  kept_.push_front({std::move(client), std::move(memory)});
  if (kept_.size() > kKeptMost) kept_.pop_back();
}

// Each watch says anew whether it defers pods.
void PodInterceptor::follow() {
  has_deferred_.store(false, std::memory_order_relaxed);
  for (PodWatch* each : watches_) each->follow();
}

void PodInterceptor::read_window() {
  parts_.window->take_news();
  for (PodWatch* each : watches_) each->read_window();
}

bool PodInterceptor::reads_body(const proxy::Request& request) const {
  return status_patch(request).has_value() || is_new_event(request);
}

std::optional<proxy::Answer> PodInterceptor::answer(const proxy::Request& request,
                                                    std::string_view body) {
  return is_new_event(request) ? answer_event(body) : answer_report(request, body);
}

// VIEW-20. kube-scheduler takes the answer for the event as it was written.
std::optional<proxy::Answer> PodInterceptor::answer_event(std::string_view body) const {
  const std::optional<std::string> pod = podview::pod_of_scheduled_event(body);
  if (!pod || !parts_.attempts.is_quiet(*pod)) return std::nullopt;
  constexpr int kCreated = 201;
  return proxy::Answer{
      kCreated, {{"content-type", std::string(content_type(false))}}, std::string(body)};
}

// VIEW-9. Attempts of pods that were withdrawn end with such a report, too.
std::optional<proxy::Answer> PodInterceptor::answer_report(const proxy::Request& request,
                                                           std::string_view body) {
  const std::optional<PodName> name = status_patch(request);
  const std::optional<podview::Refusal> refusal = podview::refusal_in(body);
  const podview::HeldPod* pod = name && refusal ? find(*name) : nullptr;
  if (pod == nullptr) return std::nullopt;
  parts_.attempt_ended(pod->uid);
  // A hint is refused by us on all nodes but its own, so its refusal names us and the cause.
  const std::string_view ours = pod->is_nominated ? ports::kNotPlannedYet : ports::kOurRefusals;
  const bool is_ours = refusal->message.find(ours) != std::string::npos;
  if (pod->is_shown && refusal->reason == "Unschedulable" && !is_ours) {
    parts_.events.post(
        PlacementDropped{pod->uid, pod->node, "kube-scheduler: " + refusal->message, true});
  }
  follow();
  return proxy::Answer{200,
                       {{"content-type", "application/json"}},
                       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})"};
}

// LEASE-6. Without Retry-After: Go's client would send the same again, under the next term,
// although kube-scheduler has decided it under this one.
std::optional<proxy::Answer> PodInterceptor::refusal(const proxy::Request& request) {
  const bool leads = parts_.leadership == nullptr || parts_.leadership->epoch() != 0;
  if (leads || !needs_term(request)) return std::nullopt;
  constexpr int kUnavailable = 503;
  return proxy::status_answer(kUnavailable, "the berthd of this view does not lead");
}

// Between two streams, a list or a kept memory has what the client knows.
const podview::HeldPod* PodInterceptor::find(const PodName& pod) const {
  const podview::HeldPod* held = nullptr;
  const auto has = [&](const podview::Memory& memory) {
    held = memory.find(pod.name_space, pod.name);
    return held != nullptr;
  };
  for (const PodWatch* each : watches_) {
    if (has(each->stream().memory())) return held;
  }
  for (const PodListExchange* each : lists_) {
    if (has(each->memory())) return held;
  }
  for (const Kept& each : kept_) {
    if (has(each.memory)) return held;
  }
  return nullptr;
}

}  // namespace berth::apiview
