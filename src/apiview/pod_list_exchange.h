#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "apiview/pods_request.h"
#include "podview/memory.h"
#include "proxy/exchange.h"

namespace berth::apiview {

class PodInterceptor;

// Of a body of at most `most` bytes. A large one is never copied as it grows.
void append_to_list(std::string_view bytes, std::size_t most, std::string& body);

// One list of all pods, or one page of it. It is read whole: its length must be known before it can
// be sent. A streaming list need not be.
class PodListExchange final : public proxy::Exchange {
 public:
  // The memory has all pages before this one.
  PodListExchange(PodInterceptor& owner, PodsRequest request, proxy::Reply& reply,
                  podview::Memory memory);
  ~PodListExchange() override;
  PodListExchange(const PodListExchange&) = delete;
  PodListExchange& operator=(const PodListExchange&) = delete;

  void on_head(int status, proxy::Headers headers) override;
  void on_body(std::string_view bytes) override;
  void on_end() override;
  void on_failure(const std::string& why) override;
  void on_closed(bool is_delivered) override;

  const podview::Memory& memory() const { return memory_; }

 private:
  void refuse(const std::string& why);

  PodInterceptor& owner_;
  const PodsRequest request_;
  proxy::Reply& reply_;
  podview::Memory memory_;
  bool is_passing_ = false;  // not a list: an error of upstream
  bool is_refused_ = false;
  proxy::Headers headers_;
  std::string body_;
  std::size_t taken_ = 0;  // of the bytes that all lists may have
};

}  // namespace berth::apiview
