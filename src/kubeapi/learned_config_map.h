#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "kubeapi/rest_client.h"
#include "ports/learned_store.h"

namespace berth::kubeapi {

inline constexpr const char* kLearnedConfigMap = "berth-learned";

// In a ConfigMap of berthd's namespace, which the first write creates (LEARN-7).
class LearnedConfigMap final : public ports::LearnedStore {
 public:
  // `client` must outlive this, and this its requests.
  LearnedConfigMap(RestClient& client, std::string name_space)
      : client_(client), name_space_(std::move(name_space)) {}

  void read(Read done) override;
  void write(const Texts& texts, std::uint64_t epoch, Written done) override;

 private:
  std::string collection() const;
  std::string path() const;
  Fault fault_of(const Response& response) const;
  void create(const Texts& texts, std::uint64_t epoch, Written done);

  RestClient& client_;
  const std::string name_space_;
};

}  // namespace berth::kubeapi
