#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/scene_line.h"

namespace berth::support {

// Split at each separator; empty parts are kept.
std::vector<std::string> parts_of(const std::string& text, char separator = ':');

// {"a:1", "b"} -> {a: "1", b: ""}
std::map<std::string, std::string> read_labels(const std::vector<std::string>& items);

// "app:in:x|y", "old:absent"
Expression read_expression(SceneLine& line, const std::string& text);

// taints=key:value:NoSchedule,key2::PreferNoSchedule
std::vector<Taint> read_taints(SceneLine& line);

// kind=Job: a controller of that name, which is its uid, too.
OwnerReference owner_reference(const std::string& kind, const std::string& name);

// The options of `task` and `pod`: amounts, on=NODE (running there) or bound=NODE, role, priority
// (a number) or class, selector=a:1,b:2 affinity=a:in:x|y,b:exists;@name:in:n1 prefers=50:a:in:x
// tolerates=key:value:NoSchedule,key,* ports=8080,UDP:53,10.0.0.1:TCP:80 besteffort gated
// gates=a,b unmodelled=x never-preempts labels=a:1,b owner=UID kind=Job gang=all
PodObject read_pod_options(SceneLine& line);
// "leaves-in=30s": it is terminating, and its grace period ends then.
void read_end_of_grace(SceneLine& line, TimePoint now, PodObject& pod);
// None: there is no such key.
std::optional<Duration> read_duration(SceneLine& line, const char* key);

// "not-preemptable", "preemptable" and "cooldown=10m", of a pod or a group.
EvictionTerms read_eviction_terms(SceneLine& line);

// "named", "declined", "seen=5m" and "given-up=5m": so long ago.
TargetMarks read_marks(SceneLine& line, TimePoint now);

}  // namespace berth::support
