#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/cursor.h"
#include "kube/children.h"

// Tools of those who make children.

namespace berth::kube {

using Texts = std::vector<std::pair<std::string, std::string>>;

// The members of maps. `put` replaces one that is there.
document::Value text_value(std::string text);
document::Value& put(document::Value& map, std::string_view key, document::Value value);
document::Value& put_text(document::Value& map, std::string_view key, std::string text);
// The member, which becomes a map if it is absent or null.
document::Value& map_in(document::Value& map, std::string_view key);
void put_labels(document::Value& object, const Texts& texts);
void put_annotations(document::Value& object, const Texts& texts);

// A name as the API server generates it: the base, of which 58 characters count, and five that look
// random. Numbers up to 14 million give different names.
std::string generated_name(std::string_view base, std::string_view seed, std::int64_t number);

// 40 hexadecimal digits, others for each text. Controllers write a SHA-1 at such places; nothing
// but equality counts.
std::string digest_of(std::string_view text);

// One object while its children are made.
class Making {
 public:
  Making(const Parent& parent, const ChildSink& sink, std::vector<std::string>& warnings);

  document::Cursor root() { return reading_.root(); }
  document::Cursor spec() { return root()["spec"]; }
  document::Reading& reading() { return reading_; }
  const std::string& name() const { return name_; }
  const std::string& uid() const { return uid_; }
  std::string full_name() const { return name_space_ + "/" + name_; }

  // Complains about a text that is none of these.
  std::string one_of(const document::Cursor& at, const std::vector<std::string>& words);
  // A count of children: 0 to kPodsMax.
  static std::int64_t count(const document::Cursor& at, std::int64_t fallback);

  // A child of that type and name, in the namespace of the object and as old as it. The object is
  // its controller.
  document::Value child(const TypeName& type, const std::string& name) const;
  // The same, with labels, annotations and spec of a template, which must be there.
  document::Value child(const TypeName& type, const std::string& name,
                        const document::Cursor& from) const;
  document::Value pod(const std::string& name, const document::Cursor& from) const;
  // Checks the fields of a template that a user wrote: of that type of k8s.io/api.
  void check(std::string_view type, const document::Cursor& at);

  // False: the making ends.
  bool give(document::Value child);

  Result<std::string> finish(std::string remark) const;

 private:
  document::Reading reading_;
  const Parent& parent_;
  const ChildSink& sink_;
  std::vector<std::string>& warnings_;
  std::string name_;
  std::string name_space_;
  std::string uid_;
  Status given_ = Done{};
};

// The makers. Each returns a remark.
std::string make_of_job(Making& making);
std::string make_of_stateful_set(Making& making);
std::string make_of_job_set(Making& making);
std::string make_of_leader_worker_set(Making& making);
std::string make_of_mpi_job(Making& making);
std::string make_of_training_job(Making& making);
std::string make_of_ray_cluster(Making& making);
std::string make_of_ray_job(Making& making);

inline const TypeName kPodType{"Pod", "v1"};
inline const TypeName kJobType{"Job", "batch/v1"};
inline const TypeName kStatefulSetType{"StatefulSet", "apps/v1"};

// Of an object whose making is put off by its user.
inline constexpr const char* kSuspended = "it is suspended";
// Of one that needs no pods any more. A dump has many of them.
inline constexpr const char* kEnded = "it has ended";

}  // namespace berth::kube
