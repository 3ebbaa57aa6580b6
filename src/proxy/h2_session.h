#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/headers.h"
#include "proxy/proxy.h"

struct nghttp2_session;

namespace berth::proxy {

// Reports of an HTTP/2 session, within receive() and send(). The handler may call the session back,
// but not receive() or send().
class H2Events {
 public:
  virtual ~H2Events() = default;
  virtual void on_header(std::int32_t stream, HeaderBlock block, bool has_body) = 0;
  virtual void on_body(std::int32_t stream, std::string_view bytes) = 0;
  virtual void on_body_end(std::int32_t stream) = 0;
  // `error` is 0 if the client has reported none. The stream's id is not used again.
  virtual void on_stream_close(std::int32_t stream, std::uint32_t error) = 0;
  virtual void on_output() = 0;               // there is something to send, by a stream's call
  virtual void on_frame(bool is_burden) = 0;  // is_burden: it asks for work and carries nothing
  // Some bytes of an answer; 0 without `is_end`: none yet.
  virtual std::size_t read_answer(std::int32_t stream, char* into, std::size_t room,
                                  bool& is_end) = 0;
};

// The server's side of one HTTP/2 connection, without its socket.
class H2Session {
 public:
  H2Session(const Options& options, H2Events& events);
  ~H2Session();
  H2Session(const H2Session&) = delete;
  H2Session& operator=(const H2Session&) = delete;

  // False: the client has broken the protocol, and the connection must end.
  bool receive(std::string_view bytes);

  // Appends frames to `out`, about `most` bytes. False as above.
  bool send(std::string& out, std::size_t most);

  bool is_over() const;         // neither side will send any more
  bool has_long_queue() const;  // the client makes us answer faster than it reads

  void go_away(std::uint32_t error);  // open streams may finish

  // Of one stream. on_output() follows.
  void submit_head(std::int32_t stream, int status, const Headers& headers, bool has_body);
  void resume(std::int32_t stream);                      // read_answer has bytes again
  void reset(std::int32_t stream);                       // for an error of ours
  void consume(std::int32_t stream, std::size_t bytes);  // of a request's body

 private:
  friend struct H2Callbacks;

  H2Events& events_;
  const std::size_t max_header_bytes_;
  const std::size_t max_headers_;
  nghttp2_session* session_ = nullptr;
  HeaderBlock block_;              // of the header that is arriving; there is one at a time
  std::int32_t block_stream_ = 0;  // 0: none
};

}  // namespace berth::proxy
