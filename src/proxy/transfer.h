#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "curl/transfer.h"
#include "proxy/exchange.h"
#include "proxy/upstream_client.h"

namespace berth::proxy {

class Stream;

struct RequestBody {
  std::string bytes;
  bool is_whole = true;                    // false: more follows by add_body()
  std::optional<std::size_t> length = {};  // in all, if known
};

// A request at upstream and its answer, reported to its stream. Destroying it ends it.
class Transfer final : public curl::Transfer {
 public:
  Transfer(UpstreamClient& upstream, const Request& request, RequestBody body, Stream& stream);
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
  bool may_be_sent() override;
  void add_lines(const Request& request);
  std::size_t take_from_body(char* into, std::size_t room);
  void unpause();

  UpstreamClient& upstream_;
  curl::Pool* pool_ = nullptr;  // while it is open
  Stream& stream_;
  RequestBody body_;
  std::size_t sent_ = 0;  // of body_.bytes, if it is sent in pieces
  const bool is_call_;
  bool is_answer_paused_ = false;
  bool is_body_paused_ = false;
};

}  // namespace berth::proxy
