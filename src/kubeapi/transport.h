#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "kubeapi/answer.h"
#include "kubeapi/credentials.h"
#include "kubeapi/request.h"

// What we ask of the HTTP library, in our words, so that only cpprest_transport.cpp includes it.

namespace berth::kubeapi {

// Takes one answer. Called by threads of the transport that must not be held up, one at a time.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void head(const AnswerHead& head) = 0;
  // A part of the body, perhaps before its head. The bytes stay until `resume` is called, once, by
  // any thread, perhaps at once; until then nothing more is read. `false` gives the answer up.
  virtual void body(std::string_view bytes, std::function<void(bool)> resume) = 0;
  // The last call. Empty: the answer was complete.
  virtual void end(const std::string& error) = 0;
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  // The sink's end() follows soon, but only when no resume() is owed. Any thread.
  virtual void cancel() = 0;
};

// Any thread. Knows neither deadlines nor limits: that is the RestClient's part.
class Transport {
 public:
  enum class Lane : std::uint8_t { unary, stream };  // each has connections of its own

  static Result<std::unique_ptr<Transport>> create(std::shared_ptr<Credentials> credentials,
                                                   const std::string& user_agent);
  virtual ~Transport() = default;

  virtual std::shared_ptr<Exchange> start(const Request& request, Lane lane,
                                          std::shared_ptr<AnswerSink> sink) = 0;

  // "https://host:port": whom an error is about.
  virtual const std::string& server() const = 0;

  // Failures inside the library that nobody waited for. Without our counting them they would end
  // the process.
  static std::uint64_t unobserved_failures();
};

}  // namespace berth::kubeapi
