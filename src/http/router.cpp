#include "http/router.h"

#include <utility>

#include "berth/base/check.h"

namespace berth::http {

void Router::add(std::string method, std::string path, Handler handler) {
  BERTH_CHECK(routes_[path].emplace(std::move(method), std::move(handler)).second);
}

void Router::route(const Request& request, Responder responder) const {
  const auto path = routes_.find(request.path);
  if (path == routes_.end()) {
    responder.answer(text_response(404, "no such path"));
    return;
  }
  const auto method = path->second.find(request.method);
  if (method == path->second.end()) {
    Response refusal = text_response(405, "no such method on this path");
    std::string allowed;
    for (const auto& [name, handler] : path->second) {
      allowed += (allowed.empty() ? "" : ", ") + name;
    }
    refusal.headers.emplace_back("Allow", std::move(allowed));
    responder.answer(std::move(refusal));
    return;
  }
  try {
    method->second(request, std::move(responder));
  } catch (...) {
    // The handler destroyed the responder, which answered 500.
    failures_.fetch_add(1, std::memory_order_relaxed);
  }
}

Handler Router::handler() const {
  return
      [this](const Request& request, Responder responder) { route(request, std::move(responder)); };
}

}  // namespace berth::http
