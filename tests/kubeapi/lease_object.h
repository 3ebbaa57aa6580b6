#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "kubeapi/request.h"

namespace berth::kubeapi::testing {

// One Lease, by an API server's rules. One thread.
class LeaseObject {
 public:
  using Json = nlohmann::json;

  Response answer(const Request& request) {
    constexpr int kConflict = 409;
    if (request.method == "GET")
      return {.status = lease_.is_null() ? kNotFound : 200, .body = lease_.dump()};
    const Json sent = Json::parse(request.body);
    if (sent.value("/metadata/resourceVersion"_json_pointer, "") != version()) {
      return {.status = kConflict, .body = "{}"};
    }
    put(sent);
    return {.status = 200, .body = lease_.dump()};
  }
  // As another holder writes it.
  void set_holder(const std::string& holder, int seconds = 15) {
    put({{"spec",
          {{"holderIdentity", holder},
           {"leaseDurationSeconds", seconds},
           {"leaseTransitions", 4}}}});
  }
  void erase() { lease_ = nullptr; }

  std::string holder() const { return lease_.value("/spec/holderIdentity"_json_pointer, ""); }
  // Of the last leader; 0: there was none.
  std::uint64_t epoch() const {
    constexpr auto kTransitions = "/spec/leaseTransitions";
    return lease_.is_null() ? 0
                            : lease_.at(Json::json_pointer(kTransitions)).get<std::uint64_t>() + 1;
  }

 private:
  std::string version() const { return lease_.is_null() ? "" : std::to_string(version_); }
  void put(const Json& lease) {
    lease_ = lease;
    lease_["metadata"]["resourceVersion"] = std::to_string(++version_);
  }

  Json lease_;
  int version_ = 0;
};

}  // namespace berth::kubeapi::testing
