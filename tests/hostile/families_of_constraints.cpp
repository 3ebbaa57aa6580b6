#include "hostile/family_text.h"

namespace berth::hostile {

namespace {

Texts labels(std::size_t bytes, int g) {
  Pod one = with_spec("");
  one.metadata.labels = map(bytes / 22, [&](auto i) { return text(name(g, "l", i), "value"); });
  return {pod(one)};
}

Texts tolerations(std::size_t bytes, int g) {
  return {pod(with_spec(member("tolerations", list(bytes / 75, [&](auto i) {
                                 return "{" + text("key", name(g, "k", i)) +
                                        R"(,"operator":"Equal","value":"x","effect":"NoSchedule"})";
                               }))))};
}

std::string in_values(std::size_t bytes, int g) {
  return R"({"matchExpressions":[{"key":"example.com/label-3","operator":"In",)" +
         member("values", list(bytes / 12, [&](auto i) { return quoted(name(g, "v", i)); })) +
         "}]}";
}

Texts node_affinity_values(std::size_t bytes, int g) {
  return {pod(with_spec(affinity(
      "nodeAffinity",
      required("{" + member("nodeSelectorTerms", "[" + in_values(bytes, g) + "]") + "}"))))};
}

Texts node_affinity_terms(std::size_t bytes, int g) {
  return {pod(with_spec(
      affinity("nodeAffinity",
               required("{" +
                        member("nodeSelectorTerms",
                               list(bytes / 80,
                                    [&](auto i) {
                                      return R"({"matchExpressions":[{"operator":"Exists",)" +
                                             text("key", name(g, "example.com/k", i)) + "}]}";
                                    })) +
                        "}"))))};
}

Texts node_preferences(std::size_t bytes, int g) {
  return {pod(with_spec(
      affinity("nodeAffinity", preferred(list(bytes / 110, [&](auto i) {
                 return R"({"weight":1,"preference":{"matchExpressions":[{"operator":"Exists",)" +
                        text("key", name(g, "example.com/k", i)) + "}]}}";
               })))))};
}

Texts node_selector(std::size_t bytes, int g) {
  return {pod(with_spec(member(
      "nodeSelector", map(bytes / 22, [&](auto i) { return text(name(g, "l", i), "value"); }))))};
}

Texts host_ports(std::size_t bytes, int g) {
  Pod one = with_spec("");
  one.containers =
      R"([{"name":"c","image":"app:1","resources":{"requests":{"cpu":"100m"}},"ports":)" +
      list(bytes / 75,
           [&](auto i) {
             const std::string port = n(1 + (i + static_cast<std::size_t>(g) * 7) % 65000);
             return "{" + member("containerPort", port) + "," + member("hostPort", port) + "," +
                    text("hostIP", "10.0." + n(i / 65000) + ".1") + "}";
           }) +
      "}]";
  return {pod(one)};
}

Texts running_with_host_ports(std::size_t bytes, int g) {
  Texts made = host_ports(bytes, g);
  Pod one = with_spec("");
  made.front().replace(made.front().find("\"schedulerName\":\"berth\""), 23,
                       R"("nodeName":"node-1","schedulerName":"default-scheduler")");
  return made;
}

Texts containers(std::size_t bytes, int g) {
  Pod one = with_spec("");
  one.containers = list(bytes / 95, [&](auto i) {
    return "{" + text("name", "c-" + n(i)) + "," + text("image", name(g, "registry/app:", i)) +
           R"(,"resources":{"requests":{"cpu":"1m"}}})";
  });
  return {pod(one)};
}

Texts init_containers(std::size_t bytes, int g) {
  return {pod(with_spec(member(
      "initContainers", list(bytes / 120, [&](auto i) {
        return "{" + text("name", "c-" + n(i)) + "," + text("image", name(g, "registry/app:", i)) +
               R"(,"restartPolicy":"Always","resources":{"requests":{"cpu":"1m"}}})";
      }))))};
}

Texts gates(std::size_t bytes, int g) {
  return {pod(with_spec(member("schedulingGates", list(bytes / 30, [&](auto i) {
                                 return "{" + text("name", name(g, "example.com/g", i)) + "}";
                               }))))};
}

Texts volumes(std::size_t bytes, int g) {
  return {pod(with_spec(member("volumes", list(bytes / 75, [&](auto i) {
                                 return "{" + text("name", "v" + n(i)) +
                                        R"(,"persistentVolumeClaim":{)" +
                                        text("claimName", name(g, "claim", i)) + "}}";
                               }))))};
}

Texts disks(std::size_t bytes, int g) {
  return {pod(with_spec(member("volumes", list(bytes / 75, [&](auto i) {
                                 return "{" + text("name", "v" + n(i)) +
                                        R"(,"gcePersistentDisk":{)" +
                                        text("pdName", name(g, "disk", i)) + "}}";
                               }))))};
}

Texts claims(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t c = 0; c < 4; ++c) {
    made.push_back(object(
        "PersistentVolumeClaim", "v1", {.name = "claim-" + n(c)},
        R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},)"
        R"("storageClassName":"none","selector":{"matchExpressions":[{"key":"a","operator":"In",)" +
            member("values",
                   list(bytes / 4 / 12, [&](auto i) { return quoted(name(g, "v", i)); })) +
            R"(}]}},"status":{"phase":"Pending"})"));
  }
  made.push_back(pod(with_spec(member("volumes", list(4, [&](auto i) {
                                        return "{" + text("name", "v" + n(i)) +
                                               R"(,"persistentVolumeClaim":{)" +
                                               text("claimName", "claim-" + n(i)) + "}}";
                                      })))));
  return made;
}

Texts annotations(std::size_t bytes, int g) {
  Pod one = with_spec("");
  const std::size_t size = std::min<std::size_t>(bytes, 250000) / 6;
  const std::string value = name(g, "x", 1) + std::string(size, 'x');
  one.metadata.annotations = "{" + text("scheduling.volcano.sh/queue-name", value) + "," +
                             text("volcano.sh/task-spec", value) + "," +
                             text("berth.dev/gang", value) + "," + text("berth.dev/claims", value) +
                             "," + text("berth.dev/target-why", value) + "," +
                             text("scheduling.k8s.io/group-name", value) + "}";
  return {pod(one)};
}

}  // namespace

std::vector<Family> families_of_constraints() {
  return {
      {"labels", labels},
      {"tolerations", tolerations},
      {"node_affinity_values", node_affinity_values},
      {"node_affinity_terms", node_affinity_terms},
      {"node_preferences", node_preferences},
      {"node_selector", node_selector},
      {"host_ports", host_ports},
      {"running_with_host_ports", running_with_host_ports},
      {"containers", containers},
      {"init_containers", init_containers},
      {"gates", gates},
      {"volumes", volumes},
      {"disks", disks},
      {"claims", claims},
      {"annotations", annotations},
  };
}

}  // namespace berth::hostile
