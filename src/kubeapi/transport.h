#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "kubeapi/credentials.h"
#include "kubeapi/request.h"
#include "kubeapi/rest_client.h"

namespace berth::kubeapi {

// Our interface to libcurl. The RestClient adds deadlines and limits. Any thread.
class Transport {
 public:
  using Done = std::function<void(Response)>;
  // False, by an Error, gives the stream up.
  using OnBytes = std::function<Status(std::string_view)>;

  static Result<std::unique_ptr<Transport>> create(std::shared_ptr<Credentials> credentials,
                                                   const RestOptions& options);
  // Ends requests that are under way, with an error.
  virtual ~Transport() = default;

  // `done` is called once, at the deadline at the latest, by a thread of the transport or this one;
  // it must not block. `id` is the caller's, for cancel().
  virtual void start(std::uint64_t id, const Request& request, Done done) = 0;
  // The request ends soon, with that error, unless it has ended already.
  virtual void cancel(std::uint64_t id, const std::string& why) = 0;

  // As RestClient::stream(), but by bytes. Ends soon after the stop.
  virtual Response stream(const Request& request, const OnBytes& on_bytes,
                          std::stop_token stop) = 0;

  // "https://host:port": the server in error messages.
  virtual const std::string& server() const = 0;
};

}  // namespace berth::kubeapi
