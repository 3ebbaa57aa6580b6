#include "daemon/page_maker.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "berth/base/thread_name.h"

namespace berth::daemon {

namespace {

http::Response made_by(const PageMaker::Make& make) {
  try {
    return make();
  } catch (const std::exception& fault) {
    return http::text_response(500, std::string("the page cannot be made: ") + fault.what());
  }
}

}  // namespace

PageMaker::~PageMaker() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  news_.notify_one();
  thread_.join();
  for (Order& order : orders_) {
    for (http::Responder& responder : order.responders) {
      responder.answer(http::text_response(503, "berthd is ending"));
    }
  }
}

void PageMaker::answer(const std::string& page, Make make, http::Responder responder) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(orders_.begin(), orders_.end(),
                                    [&](const Order& order) { return order.page == page; });
    Order& order =
        found == orders_.end() ? orders_.emplace_back(Order{page, std::move(make), {}}) : *found;
    if (order.responders.size() < kWaitingMost) {
      order.responders.push_back(std::move(responder));
      news_.notify_one();
      return;
    }
  }
  responder.answer(http::text_response(503, "too many ask for this page at once, ask again"));
}

void PageMaker::run() {
  name_thread("page");
  std::unique_lock lock(mutex_);
  while (true) {
    news_.wait(lock, [&] { return is_ended_ || !orders_.empty(); });
    if (is_ended_) return;
    Order order = std::move(orders_.front());
    orders_.pop_front();
    lock.unlock();
    const http::Response page = made_by(order.make);
    for (http::Responder& responder : order.responders) responder.answer(page);
    lock.lock();
  }
}

}  // namespace berth::daemon
