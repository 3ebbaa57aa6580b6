#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "curl/transfer.h"
#include "proxy/exchange.h"
#include "proxy/upstream_client.h"

namespace berth::proxy {

// Reports of a transfer. on_upstream_done and on_upstream_failure are the last. Within the others
// the transfer may not be called.
class TransferEvents {
 public:
  virtual ~TransferEvents() = default;
  virtual void on_upstream_head(int status, Headers headers) = 0;
  virtual void on_upstream_body(std::string_view bytes) = 0;
  virtual void on_upstream_done() = 0;
  virtual void on_upstream_failure(const std::string& why) = 0;
  virtual void on_body_taken(std::size_t bytes) = 0;  // of the request
  virtual bool may_be_sent() = 0;  // on its connection; false ends the transfer as a failure
  virtual bool is_full() = 0;      // true pauses the answer, until resume()
};

struct RequestBody {
  std::string bytes;
  bool is_whole = true;                    // false: more follows by add_body()
  std::optional<std::size_t> length = {};  // in all, if known
};

// A request at upstream and its answer. Destroying it ends it.
class Transfer final : public curl::Transfer {
 public:
  Transfer(UpstreamClient& upstream, const Request& request, RequestBody body,
           TransferEvents& events);
  ~Transfer() override;

  bool start();  // false: no memory
  void resume();
  void add_body(std::string_view bytes);
  void end_body();
  bool awaits_body() const { return !body_.is_whole && sent_ == body_.bytes.size(); }

  void on_done(CURLcode code) override;

 private:
  static std::size_t read_body(char* into, std::size_t, std::size_t room, void* user);

  void on_head(int status, Headers headers) override;
  Taken on_body(std::string_view bytes) override;
  bool may_be_sent() override { return events_.may_be_sent(); }
  void add_lines(const Request& request);
  std::size_t take_from_body(char* into, std::size_t room);
  void unpause();

  UpstreamClient& upstream_;
  curl::Pool* pool_ = nullptr;  // while it is open
  TransferEvents& events_;
  RequestBody body_;
  std::size_t sent_ = 0;  // of body_.bytes, if it is sent in pieces
  const bool is_call_;
  bool is_answer_paused_ = false;
  bool is_body_paused_ = false;
};

}  // namespace berth::proxy
