#include "daemon/page.h"

#include <fmt/format.h>

#include <random>
#include <string>

#include "daemon/thread_priority.h"
#include "page/assets.h"

namespace berth::daemon {

namespace {

// Of this start of berthd: versions of another one mean something else.
std::string new_instance() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

Page::Page(Core& core, const Clock& real_clock)
    : stream_(
          {.instance = new_instance(),
           .version = BERTH_VERSION,
           .ask = [&feed = *core.page_feed](page::Stream::Take take) { feed.ask(std::move(take)); },
           .history = core.page_feed->history(),
           .queues = [&core] { return core.queues.load(); },
           .reservations = [&core] { return core.reservations.load(); },
           .real_clock = real_clock,
           .on_start = lower_thread_priority}) {}

// PAGE-12
void Page::add_routes(http::Router& router, const Guard& guard) {
  const auto get = [&](const std::string& path, SeenHandler handler) {
    router.add("GET", path, guard(std::move(handler)));
  };
  get("/page", [](const http::Request&, http::Responder responder, const ViewerOrAll&) {
    http::Response response = http::text_response(308, "the page is at page/");
    response.headers.emplace_back("Location", "page/");
    responder.answer(std::move(response));
  });
  get("/page/state",
      [this](const http::Request& request, http::Responder responder, const ViewerOrAll& viewer) {
        stream_.request(request.query, std::move(responder), viewer);
      });
  for (const page::Asset& asset : page::assets()) {
    const auto answer = [&asset](const http::Request& request, http::Responder responder,
                                 const ViewerOrAll&) {
      responder.answer(page::answer_of(asset, request));
    };
    const bool is_index = asset.name == "index.html";
    get("/page/" + std::string(is_index ? "" : asset.name), answer);
  }
}

}  // namespace berth::daemon
