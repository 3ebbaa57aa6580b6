#pragma once

#include <string>

namespace berth::podview::testing {

// Answers in protobuf of kube-apiserver 1.36.3 (with etcd 3.6.8) about the same six pods. The
// stream is a streaming list; then a pod is added, changed, bound, deleted before and after it is
// bound, and one succeeds.
std::string captured_list();
std::string captured_stream();

// kube-scheduler's event that it has bound pod ml/train-17, as Go's client of Kubernetes 1.37
// writes it. Its uid.
std::string captured_event();
inline constexpr const char* kBoundUid = "5b0d2a3e-1111-4222-8333-944455556666";

}  // namespace berth::podview::testing
