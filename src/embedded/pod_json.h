#pragma once

#include <string>

#include "berth/model/objects.h"

namespace berth::embedded {

// The pod as the Kubernetes API writes it (without apiVersion and kind, like the objects that
// kube-scheduler sends to extenders): one container with the effective request, and every
// constraint, label and annotation that decoding reads. Decoding it gives the pod back, times in
// whole seconds, save what is only named as unmodelled.
std::string pod_json(const PodObject& pod);

}  // namespace berth::embedded
