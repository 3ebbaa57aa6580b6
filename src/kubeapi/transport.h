#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "kubeapi/answer.h"
#include "kubeapi/credentials.h"
#include "kubeapi/request.h"

// Our interface to the HTTP libraries: cpprestsdk for streams, libcurl for unary requests. Only
// cpprest_... and curl_... include them.

namespace berth::kubeapi {

// Takes one answer. Threads of the transport call it, one at a time; it must not block.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void head(const AnswerHead& head) = 0;
  // A part of the body, possibly before its head. The bytes stay valid until `resume` is called,
  // once, by any thread, but in the unary lane within this call. Until then nothing more is read.
  // `false` drops the answer.
  virtual void body(std::string_view bytes, std::function<void(bool)> resume) = 0;
  // The last call. An empty error means a complete answer.
  virtual void end(const std::string& error) = 0;
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  // The sink's end() follows soon, once no resume() is outstanding. Any thread.
  virtual void cancel() = 0;
};

inline constexpr std::chrono::seconds kEndMax{5};  // for a transport to release cancelled exchanges

// Any thread. The RestClient adds deadlines and limits.
class Transport {
 public:
  enum class Lane : std::uint8_t { unary, stream };  // each has its own connections

  // `leadership` as in RestOptions.
  static Result<std::unique_ptr<Transport>> create(std::shared_ptr<Credentials> credentials,
                                                   const std::string& user_agent,
                                                   const ports::Leadership* leadership = nullptr);
  virtual ~Transport() = default;

  virtual std::shared_ptr<Exchange> start(const Request& request, Lane lane,
                                          std::shared_ptr<AnswerSink> sink) = 0;

  // "https://host:port": the server in error messages.
  virtual const std::string& server() const = 0;

  // Failures inside the library that no code observed. Counting them keeps them from ending the
  // process.
  static std::uint64_t unobserved_failures();
};

}  // namespace berth::kubeapi
