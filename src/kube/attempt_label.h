#pragma once

namespace berth::kube {

// Berth's own, without meaning: kube-scheduler looks again at a pod whose labels change (STEER-6).
inline constexpr const char* kAttemptLabel = "berth.dev/attempt";

}  // namespace berth::kube
