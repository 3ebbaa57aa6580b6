#pragma once

#include <map>
#include <string>

#include "berth/model/objects.h"

namespace berth::embedded {

// The pod as the Kubernetes API writes it, without apiVersion and kind, as kube-scheduler sends it
// to extenders: one container with the effective request, and every constraint, label and
// annotation that the decoder reads. Decoding returns the same pod, with times in whole seconds,
// and without constraints that are only named as unmodelled.
std::string pod_json(const PodObject& pod);

// The annotations that say this of a pod or a PodGroup; claims aside.
std::map<std::string, std::string> annotations_of(const TargetMarks& marks);

}  // namespace berth::embedded
