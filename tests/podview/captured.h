#pragma once

#include <string>

namespace berth::podview::testing {

// Answers in protobuf of kube-apiserver 1.36.3 (with etcd 3.6.8) about the same six pods. The
// stream is a streaming list; then a pod is added, changed, bound, deleted before and after it is
// bound, and one succeeds.
std::string captured_list();
std::string captured_stream();

}  // namespace berth::podview::testing
