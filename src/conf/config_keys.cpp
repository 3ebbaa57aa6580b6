#include "conf/config_keys.h"

#include <array>

#include "conf/config.h"

namespace berth::conf {

namespace {

constexpr std::array<ConfigKey, 99> kKeys{{
    {"", "actions", "list, or names separated by commas", "required",
     "actions of a session, in this order; each once"},
    {"", "tiers", "list", "required", "ranks of plugins; earlier ranks decide first"},
    {"", "configurations", "list", "none", "arguments of actions"},
    {"", "schedulerNames", "list of strings", "`[berth]`",
     "Berth schedules pods whose `spec.schedulerName` is one of these"},
    {"", "schedulePeriod", "duration, 10ms to 1h", "`1s`", "longest time between two sessions"},
    {"", "claimTimeout", "duration, 1s to 24h", "`10m`",
     "how long room that is being vacated is kept for a job; for as long after that, it claims "
     "none. Longer than the grace periods of pods: one that takes longer counts as one that never "
     "leaves ([CLAIM-13](design/claims.md))"},
    {"", "evictionLimit", "map", "",
     "how many pods are evicted within a minute (docs/design/eviction-limits.md)"},
    {"", "defaultQueue", "DNS name", "`default`", "queue of pods and groups without a queue"},
    {"", "defaultQueueStrategy", "`fifo` or `traverse`", "`traverse`",
     "`dequeueStrategy` of that queue while it has no object"},
    {"", "extender", "map", "", "the server that kube-scheduler calls"},
    {"", "pages", "map", "none: on the extender's port",
     "a server of its own for metrics, probes and pages"},
    {"", "barrier", "map", "", "how long binds wait for their whole gang"},
    {"", "steering", "map", "", "how kube-scheduler carries out plans"},
    {"", "view", "map", "", "where kube-scheduler reads the cluster, in steering mode `view`"},
    {"", "jobs", "map", "",
     "which pods without a PodGroup are one job (docs/design/gangs-of-owners.md)"},
    {"", "constraints", "map", "", "which constraints of pods are planned for"},
    {"", "topology", "map", "", "which nodes are near each other (docs/topology.md)"},
    {"", "reservation", "map", "", "how nodes are kept for targets"},
    {"", "permissions", "map", "", "which words of users count only with a right"},
    {"", "leaderElection", "map", "", "the Lease that elects one leader among several berthd"},
    {"", "kubeAPI", "map", "", "limits for requests to the API server"},
    {"", "history", "map", "none: nothing is recorded",
     "where berthd records jobs, nodes and queues for `berth simulate` (docs/design/history.md)"},
    {"", "forecast", "map", "", "when jobs that wait will start (docs/forecast.md)"},
    {"", "page", "map", "", "the page that shows the cluster in a browser (docs/page.md)"},
    {"", "fairShare", "map", "", "how long what was used counts (docs/design/fairshare.md)"},
    {"", "metrics", "map", "ignored", "Volcano's; accepted and ignored with a warning"},
    {"", "args", "nothing", "ignored", "Volcano's; accepted when empty, with a warning"},
    {"tiers[]", "plugins", "list", "required", "plugins of one rank"},
    {"tiers[].plugins[]", "name", "string", "required", "the plugin"},
    {"tiers[].plugins[]", "arguments", "map", "none", "its arguments, listed in its document"},
    {"tiers[].plugins[]", "disable", "list of strings", "none",
     "points that it does not answer; Volcano's `enable...: false` does the same"},
    {"configurations[]", "name", "string", "required", "the action"},
    {"configurations[]", "arguments", "map", "none", "its arguments, listed in its document"},
    {"evictionLimit", "cluster", "map", "", "in the whole cluster"},
    {"evictionLimit", "queue", "map", "", "of the pods of each queue"},
    {"evictionLimit.cluster", "pods", "1 to 1000000", "`100`",
     "so many; one job's victims leave together, however many they are"},
    {"evictionLimit.cluster", "share", "0% to 100%", "`5%`",
     "or this part of the pods that run, if that is more; 100%: no limit"},
    {"evictionLimit.queue", "pods", "1 to 1000000", "`50`", "likewise"},
    {"evictionLimit.queue", "share", "0% to 100%", "`10%`", "likewise"},
    {"extender", "address", "IP address", "`127.0.0.1`", "address to listen on"},
    {"extender", "port", "0 to 65535", "`8890`", "port to listen on; 0: any free one"},
    {"extender", "tls", "map", "none: plain HTTP", "the server's certificate"},
    {"extender", "maxBodyBytes", "1024 to 4294967296", "`67108864`",
     "longest request body, in bytes"},
    {"extender", "maxConnections", "1 to 1000000", "`16384`", "connections open at once"},
    {"extender", "idleTimeout", "duration, 1m31s to 24h", "`2m`",
     "an idle connection is closed after this; kube-scheduler's own is 90s"},
    {"extender", "requestTimeout", "duration, 100ms to 10m", "`5s`",
     "time in which a request must arrive"},
    {"extender.tls", "certFile", "path", "required", "certificate chain, PEM"},
    {"extender.tls", "keyFile", "path", "required", "private key, PEM"},
    {"extender.tls", "clientCAFile", "path", "none", "clients must show a certificate of this CA"},
    {"pages", "address", "IP address", "`127.0.0.1`", "address to listen on"},
    {"pages", "port", "0 to 65535", "`8892`", "port to listen on; 0: any free one"},
    {"pages", "tls", "map", "none: plain HTTP", "the server's certificate"},
    {"pages", "hosts", "list of host names", "none",
     "names by which browsers and others may ask in plain HTTP, besides addresses, `localhost`, "
     "names without a dot and those of Services ([why](SECURITY.md#ports))"},
    {"pages.tls", "certFile", "path", "required", "certificate chain, PEM"},
    {"pages.tls", "keyFile", "path", "required", "private key, PEM"},
    {"pages.tls", "clientCAFile", "path", "none",
     "clients must show a certificate of this CA, or [a token](SECURITY.md#tokens), but for "
     "probes"},
    {"barrier", "timeout", "duration, 100ms to 1h", "`10s`",
     "a held gang is given up after this long without a new member"},
    {"barrier", "maxTimeout", "duration, 100ms to 1h", "`25s`",
     "longest wait of one call; at least `timeout`, less than kube-scheduler's httpTimeout"},
    {"steering", "mode", "`view` or `nominate`", "`nominate`",
     "how kube-scheduler is brought to the planned nodes: it reads the cluster through berthd "
     "(docs/design/view.md), or Berth writes on pods (docs/design/steering.md)"},
    {"steering", "vetoMemory", "duration, 1s to 24h", "`1m`",
     "similar pods avoid a node that kube-scheduler ruled out, for at most this long"},
    {"steering", "retryLimit", "duration, 1s to 24h", "`1m`",
     "a job that kube-scheduler refuses is tried again after a pause that doubles, of at most this "
     "long (docs/design/hints.md)"},
    {"view", "address", "IP address", "`127.0.0.1`", "address to listen on"},
    {"view", "port", "0 to 65535", "`8891`", "port to listen on; 0: any free one"},
    {"view", "directory", "path", "`/run/berth`",
     "of `view.key` and `view.crt`, the key of both sides; `berthd --make-view-key` makes them"},
    {"view", "serviceAccount", "`NAME` or `NAMESPACE/NAME`", "`berth-kube-scheduler`",
     "kube-scheduler's requests go on with tokens of this account, in the Lease's namespace if it "
     "names none; empty: with kube-scheduler's own token"},
    {"view", "autoscaling", "boolean", "`true`",
     "pods that wait for nodes get the condition that cluster-autoscaler and Karpenter act on"},
    {"view", "scheduledEvents", "0 to 1000000", "`16`",
     "kube-scheduler's event `Scheduled` is written for so many pods of a job; those of further "
     "ones are left out (VIEW-20 of docs/design/view.md)"},
    {"jobs", "gang", "`annotated`, `indexed` or `all`", "`annotated`",
     "which owners of several pods are gangs without the annotation `berth.dev/gang`: none, "
     "Indexed Jobs, or all that Berth knows"},
    {"jobs", "owners", "list of names such as `jobs.v1.batch`", "all that Berth knows",
     "resources whose objects may set annotations for pods and groups they control; those that the "
     "API server does not serve are left out"},
    {"constraints", "volumes", "boolean", "`true`",
     "claims and volumes are listed and planned for; otherwise kube-scheduler alone looks at them "
     "(docs/design/volumes.md)"},
    {"constraints", "defaultSpread", "list", "none",
     "the entries of kube-scheduler's `defaultConstraints` that refuse; then Services, "
     "ReplicationControllers, ReplicaSets and StatefulSets are listed (SPREAD-8 of "
     "docs/design/topology-spread.md)"},
    {"constraints.defaultSpread[]", "topologyKey", "text", "required", "label of nodes"},
    {"constraints.defaultSpread[]", "maxSkew", "1 to 2147483647", "`1`", "as on a pod"},
    {"constraints.defaultSpread[]", "minDomains", "1 to 2147483647", "`1`", "as on a pod"},
    {"constraints.defaultSpread[]", "whenUnsatisfiable", "`DoNotSchedule`", "`DoNotSchedule`",
     "leave out entries with `ScheduleAnyway`"},
    {"constraints.defaultSpread[]", "nodeAffinityPolicy", "`Honor` or `Ignore`", "`Honor`",
     "as on a pod"},
    {"constraints.defaultSpread[]", "nodeTaintsPolicy", "`Honor` or `Ignore`", "`Ignore`",
     "as on a pod"},
    {"topology", "levels", "list of labels of nodes", "none",
     "levels of the network, the outermost first, such as a block and a rack; nodes with the same "
     "values are near each other (TOPO-1 of docs/design/topology.md)"},
    {"reservation", "enforce", "`filter` or `taint`", "`filter`",
     "how others are kept off locked nodes: by the extender's filter, or also by a taint"},
    {"reservation", "authorization", "`auto`, `policy`, `review` or `none`", "`auto`",
     "how it is known who may set `berth.dev/target`: `docs/design/permissions.md`"},
    {"reservation", "owners", "list of names such as `jobs.v1.batch`", "none",
     "the old name of `jobs.owners`: these are watched, too"},
    {"permissions", "groupClass", "`review` or `none`", "`review`",
     "`review`: a PodGroup's class above the priority of its pods counts if their account has the "
     "verb `name` on it (MAY-12 of `docs/design/permissions.md`); `none`: it counts"},
    {"permissions", "protection", "`review` or `none`", "`none`",
     "`review`: annotations that keep pods from being evicted count if the pods' account has the "
     "verb `protect` on the queue (MAY-14); `none`: they count"},
    {"leaderElection", "enabled", "boolean", "`true`", "waits for the Lease before deciding"},
    {"leaderElection", "namespace", "DNS label", "own pod's, or the context's",
     "namespace of the Lease"},
    {"leaderElection", "name", "DNS name", "`berthd`", "name of the Lease"},
    {"leaderElection", "leaseDuration", "duration, 1s to 1h", "`9s`",
     "another berthd takes over after this long without a renewal; whole seconds"},
    {"leaderElection", "renewDeadline", "duration, 200ms to 1h", "`6s`",
     "the leader stops after this long without a renewal; less than `leaseDuration`"},
    {"leaderElection", "retryPeriod", "duration, 100ms to 1h", "`2s`",
     "time between attempts; less than `renewDeadline`"},
    {"kubeAPI", "qps", "1 to 1000000", "`500`", "requests a second on average"},
    {"kubeAPI", "burst", "1 to 1000000", "`1000`", "requests at once, after a pause"},
    {"kubeAPI", "maxInFlight", "1 to 4096", "`64`", "requests in flight"},
    {"kubeAPI", "schedulerLeaseNamespace", "DNS label", "`kube-system`",
     "namespace of kube-scheduler's Lease"},
    {"kubeAPI", "schedulerLeaseName", "DNS name", "`kube-scheduler`",
     "name of kube-scheduler's Lease"},
    {"forecast", "period", "duration up to 1h", "`10s`",
     "how often starts are planned, while jobs wait; `0s`: they are not forecast"},
    {"page", "enabled", "true or false", "`true`",
     "it is served at `/page/`, beside the other pages"},
    {"history", "directory", "path", "required", "one for each berthd; it is made if need be"},
    {"history", "size", "amount, 4Mi to 1Ti", "`256Mi`",
     "of all files there; the oldest are deleted"},
    {"fairShare", "halfLife", "duration, 1m to 8760h", "`168h`",
     "after so long, what was used counts half"},
}};

constexpr std::array<VolcanoFlag, 21> kFlags{
    {{"enableJobOrder", "jobOrder", true},
     {"enableNamespaceOrder", "", true},
     {"enableHierarchy", "", false},
     {"enableJobReady", "jobReady", true},
     {"enableJobPipelined", "jobPipelined", true},
     {"enableTaskOrder", "taskOrder", true},
     {"enablePreemptable", "preemptable", true},
     {"enableReclaimable", "reclaimable", true},
     {"enablePreemptive", "preemptive", true},
     {"enableQueueOrder", "queueOrder admissionOrder", true},
     {"EnabledClusterOrder", "", false},
     {"enablePredicate", "predicate occupancy", true},
     {"enableBestNode", "bestNode", true},
     {"enableNodeOrder", "nodeOrder batchNodeOrder wishOrder", true},
     {"enableTargetJob", "targetJob", true},
     {"enableReservedNodes", "reservedNodes", true},
     {"enableJobEnqueued", "jobEnqueueable", true},
     {"enabledVictim", "victims", true},
     {"enableJobStarving", "jobStarving", true},
     {"enabledOverused", "overused", true},
     {"enabledAllocatable", "allocatable", true}}};

}  // namespace

std::span<const ConfigKey> config_keys() { return kKeys; }

std::span<const VolcanoFlag> volcano_flags() { return kFlags; }

std::vector<std::string> keys_of(std::string_view section) {
  std::vector<std::string> names;
  for (const ConfigKey& key : kKeys) {
    if (key.section == section) names.emplace_back(key.name);
  }
  return names;
}

std::string render_key_table() {
  std::string text = "| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const ConfigKey& key : kKeys) {
    text += "| `";
    if (!key.section.empty()) text += std::string(key.section) + ".";
    text += std::string(key.name) + "` | " + std::string(key.type) + " | " +
            std::string(key.standard) + " | " + std::string(key.meaning) + " |\n";
  }
  return text;
}

}  // namespace berth::conf
