#pragma once

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "curl/headers.h"
#include "curl/server.h"

namespace berth::curl {

// A request by libcurl and its answer. One thread at a time.
class Transfer {
 public:
  Transfer(const Server& server, std::string_view target, Connections connections);
  virtual ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* easy() const { return easy_; }
  bool uses_http2() const;
  // Of its connection; 0: it has none.
  int local_port() const;

  // The last call, outside of libcurl's callbacks.
  virtual void on_done(CURLcode code) = 0;

 protected:
  enum class Taken : std::uint8_t { whole, later, never };

  // Within libcurl's callbacks, where its functions may not be called.
  // The head of the final answer: once, before the body.
  virtual void on_head(int status, Headers headers) = 0;
  // later: the same bytes come again after curl_easy_pause().
  virtual Taken on_body(std::string_view bytes) = 0;
  // On the connection that the request goes to, when it is open; again if that turns out to be
  // dead. False ends the transfer.
  virtual bool may_be_sent() { return true; }

  // A line without value leaves out what libcurl would add by itself.
  void add_line(const std::string& line);
  // `body` must live as long as the transfer.
  void set_request(const std::string& method, const std::string& body);

  bool has_head() const { return has_head_; }
  // Counts instead of libcurl's error.
  void set_failure(std::string why) { own_failure_ = std::move(why); }
  // Why it ended; empty: it is whole.
  std::string failure(CURLcode code) const;

 private:
  friend struct TransferCallbacks;
  bool take_header_line(std::string_view line);

  const Server& server_;
  CURL* const easy_;
  curl_slist* lines_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> failure_ = {};
  std::string own_failure_;
  Headers headers_;
  bool has_head_ = false;
};

// True for methods that have a body, even if it is empty.
bool is_write(std::string_view method);

// A socket whose connection breaks if the server acknowledges nothing for 45 s. -1: none can be
// had.
curl_socket_t open_socket(const curl_sockaddr& address);

// A multi handle. libcurl is made ready before the first.
CURLM* new_multi();

}  // namespace berth::curl
