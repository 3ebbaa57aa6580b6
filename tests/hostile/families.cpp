#include "hostile/families.h"

#include "hostile/api_text.h"

namespace berth::hostile {

namespace {

using Texts = std::vector<std::string>;

std::string n(std::size_t number) { return std::to_string(number); }
// Of this generation.
std::string name(int generation, const std::string& stem, std::size_t i) {
  return stem + n(static_cast<std::size_t>(generation)) + "-" + n(i);
}
std::string required(const std::string& items) {
  return member("requiredDuringSchedulingIgnoredDuringExecution", items);
}
std::string preferred(const std::string& items) {
  return member("preferredDuringSchedulingIgnoredDuringExecution", items);
}
std::string affinity(const std::string& kind, const std::string& what) {
  return member("affinity", "{" + member(kind, "{" + what + "}") + "}");
}
std::string selector(const std::string& label, const std::string& value) {
  return member("labelSelector", "{" + member("matchLabels", "{" + text(label, value) + "}") + "}");
}
constexpr const char* kHost = "kubernetes.io/hostname";

Pod with_spec(std::string spec, const std::string& pod_name = "p-0") {
  Pod made{.metadata = {.name = pod_name}};
  made.spec = std::move(spec);
  return made;
}

// --- relations --------------------------------------------------------------------------------

Texts apart_by_host(std::size_t bytes, int g) {
  return {pod(with_spec(affinity("podAntiAffinity", required(list(bytes / 90, [&](auto i) {
                                   return "{" + text("topologyKey", kHost) + "," +
                                          selector(name(g, "a", i), "b") + "}";
                                 })))))};
}

// Each term matches every pod of every namespace.
Texts apart_from_all(std::size_t bytes, int g) {
  return {pod(with_spec(affinity(
      "podAntiAffinity", required(list(bytes / 180, [&](auto i) {
        return "{" + text("topologyKey", kHost) + R"(,"namespaceSelector":{},"labelSelector":)" +
               R"({"matchExpressions":[{"key":"app","operator":"NotIn","values":[)" +
               quoted(name(g, "v", i)) + "]}]}}";
      })))))};
}

Texts near_by_many_keys(std::size_t bytes, int g) {
  return {pod(with_spec(affinity("podAffinity", required(list(bytes / 90, [&](auto i) {
                                   return "{" + text("topologyKey", name(g, "example.com/k", i)) +
                                          "," + selector(name(g, "a", i), "b") + "}";
                                 })))))};
}

Texts prefers_by_many_keys(std::size_t bytes, int g) {
  return {pod(with_spec(affinity("podAntiAffinity", preferred(list(bytes / 130, [&](auto i) {
                                   return R"({"weight":1,"podAffinityTerm":{)" +
                                          text("topologyKey", name(g, "example.com/k", i)) + "," +
                                          selector(name(g, "a", i), "b") + "}}";
                                 })))))};
}

Texts spreads(std::size_t bytes, int g, const char* wish) {
  return {pod(with_spec(member("topologySpreadConstraints", list(bytes / 150, [&](auto i) {
                                 return R"({"maxSkew":1,)" + text("whenUnsatisfiable", wish) + "," +
                                        text("topologyKey", name(g, "example.com/k", i)) + "," +
                                        selector(name(g, "a", i), "b") + "}";
                               }))))};
}
Texts spread_by_many_keys(std::size_t bytes, int g) { return spreads(bytes, g, "DoNotSchedule"); }
Texts spread_anyway(std::size_t bytes, int g) { return spreads(bytes, g, "ScheduleAnyway"); }

Texts near_many_namespaces(std::size_t bytes, int g) {
  return {pod(with_spec(
      affinity("podAffinity", required(list(1, [&](auto) {
                 return "{" + text("topologyKey", kHost) + "," + selector("a", "b") + "," +
                        member("namespaces",
                               list(bytes / 14, [&](auto i) { return quoted(name(g, "ns", i)); })) +
                        "}";
               })))))};
}

Texts near_many_values(std::size_t bytes, int g) {
  return {pod(with_spec(affinity(
      "podAffinity", required(list(1, [&](auto) {
        return "{" + text("topologyKey", kHost) +
               R"(,"labelSelector":{"matchExpressions":[{"key":"a","operator":"In",)" +
               member("values", list(bytes / 12, [&](auto i) { return quoted(name(g, "v", i)); })) +
               "}]}}";
      })))))};
}

// Terms of some pods that match others of the namespace, each by a label of its own.
Texts labels_and_terms(std::size_t bytes, int g) {
  const std::size_t count = bytes / 5 / 100;
  Texts made;
  for (std::size_t p = 0; p < 5; ++p) {
    Pod one = with_spec(
        affinity("podAntiAffinity", required(list(count,
                                                  [&](auto i) {
                                                    return "{" + text("topologyKey", kHost) + "," +
                                                           selector(name(g, "l", i), "x") + "}";
                                                  }))),
        "p-" + n(p));
    one.metadata.labels = map(count, [&](auto i) { return text(name(g, "l", i), "x"); });
    made.push_back(pod(one));
  }
  return made;
}

// Pods that have the terms of nobody else, and match those of all.
Texts many_pods_with_a_term(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t p = 0; p < bytes / 600; ++p) {
    Pod one = with_spec(
        affinity("podAntiAffinity",
                 required(list(
                     1,
                     [&](auto) {
                       return "{" + text("topologyKey", kHost) +
                              R"(,"labelSelector":{"matchExpressions":[{"key":"x","operator":)" +
                              R"("NotIn","values":[)" + quoted(name(g, "v", p)) + "]}]}}";
                     }))),
        "p-" + n(p));
    made.push_back(pod(one));
  }
  return made;
}

Texts many_running_with_a_term(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t p = 0; p < bytes / 600; ++p) {
    Pod one = with_spec(
        affinity("podAntiAffinity",
                 required(list(
                     1,
                     [&](auto) {
                       return "{" + text("topologyKey", kHost) +
                              R"(,"namespaceSelector":{},"labelSelector":{"matchExpressions":)" +
                              R"([{"key":"x","operator":"NotIn","values":[)" +
                              quoted(name(g, "v", p)) + "]}]}}";
                     }))),
        "p-" + n(p));
    one.scheduler = "default-scheduler";
    one.node = "node-" + n(p % 100);
    one.cpu = "1m";
    made.push_back(pod(one));
  }
  return made;
}

// --- other constraints ------------------------------------------------------------------------

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

// --- groups and owners ------------------------------------------------------------------------

Texts group_roles(std::size_t bytes, int g) {
  return {group({.name = "g"},
                R"("minMember":2147483647,"minTaskMember":)" + map(bytes / 22, [&](auto i) {
                  return member(name(g, "role", i), "2147483647");
                }))};
}

Texts roles_of_pods(std::size_t bytes, int g) {
  Texts made{group({.name = "g"}, R"("minMember":2)")};
  for (std::size_t p = 0; p < bytes / 500; ++p) {
    Pod one = with_spec("", "p-" + n(p));
    one.metadata.annotations = "{" + text("scheduling.k8s.io/group-name", "g") + "," +
                               text("volcano.sh/task-spec", name(g, "role", p)) + "}";
    made.push_back(pod(one));
  }
  return made;
}

Texts groups_without_queue(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t i = 0; i < bytes / 300; ++i) {
    made.push_back(group({.name = name(g, "group", i)},
                         R"("minMember":2147483647,)" + text("queue", name(g, "queue", i)) + "," +
                             text("priorityClassName", name(g, "class", i))));
  }
  return made;
}

Texts group_texts(std::size_t bytes, int g) {
  return {group({.name = "g"}, R"("minMember":3,)" +
                                   text("queue", name(g, "q", 0) + std::string(bytes / 2, 'q')) +
                                   "," + text("priorityClassName", std::string(bytes / 2, 'c')))};
}

Texts group_of_claims(std::size_t bytes, int g) {
  std::string claims_text = "2026-01-01T00:00:00Z";
  while (claims_text.size() < std::min<std::size_t>(bytes, 250000)) {
    claims_text +=
        " " + name(g, "pod", claims_text.size()) + "=node-" + n(claims_text.size() % 100);
  }
  return {group({.name = "g", .annotations = "{" + text("berth.dev/claims", claims_text) + "}"},
                R"("minMember":3)")};
}

Texts groups_of_pods(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t p = 0; p < bytes / 500; ++p) {
    Pod one = with_spec("", name(g, "p", p));
    one.metadata.annotations =
        "{" + text("scheduling.k8s.io/group-name", name(g, "group", p)) + "}";
    made.push_back(pod(one));
  }
  return made;
}

Texts owners(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t p = 0; p < bytes / 600; ++p) {
    Pod one = with_spec("", name(g, "p", p));
    one.metadata.annotations = R"({"berth.dev/gang":"3"})";
    one.metadata.more =
        R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","controller":true,)" +
        text("name", name(g, "job", p)) + "," + text("uid", name(g, "uid", p)) + "}]";
    made.push_back(pod(one));
  }
  return made;
}

Texts owner_references(std::size_t bytes, int g) {
  Pod one = with_spec("");
  one.metadata.more = R"(,"ownerReferences":)" + list(bytes / 70, [&](auto i) {
                        return R"({"apiVersion":"v1","kind":"X",)" + text("name", name(g, "o", i)) +
                               "," + text("uid", name(g, "u", i)) + "}";
                      });
  return {pod(one)};
}

Texts budgets(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t b = 0; b < 20; ++b) {
    made.push_back(object("PodDisruptionBudget", "policy/v1", {.name = "b-" + n(b)},
                          R"("spec":{"minAvailable":"100%","selector":{"matchExpressions":)" +
                              list(bytes / 20 / 60,
                                   [&](auto i) {
                                     return R"({"operator":"NotIn","values":["x"],)" +
                                            text("key", name(g, "k", i)) + "}";
                                   }) +
                              R"(}},"status":{"disruptionsAllowed":0})"));
  }
  return made;
}

Texts services(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t i = 0; i < bytes / 300; ++i) {
    made.push_back(object("Service", "v1", {.name = name(g, "s", i)},
                          R"("spec":{"selector":{"app":"x",)" + text(name(g, "l", i), "x") + "}}"));
  }
  return made;
}

// --- many -------------------------------------------------------------------------------------

Texts shapes(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t p = 0; p < bytes / 400; ++p) {
    Pod one = with_spec("", "p-" + n(p));
    one.cpu = n(1000000 + static_cast<std::size_t>(g) * 100000 + p) + "m";  // fits nowhere
    made.push_back(pod(one));
  }
  return made;
}

Texts shapes_that_wait(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t p = 0; p < bytes / 400; ++p) {
    Pod one = with_spec("", "p-" + n(p));
    one.cpu = n(15500 + (static_cast<std::size_t>(g) * 100 + p) % 500) + "m";
    one.metadata.labels = "{" + text("l", name(g, "v", p)) + "}";
    made.push_back(pod(one));
  }
  return made;
}

Texts gangs_that_wait(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t i = 0; i < bytes / 900; ++i) {
    const std::string gang = name(g, "gang", i);
    made.push_back(group({.name = gang}, R"("minMember":2)"));
    for (std::size_t p = 0; p < 2; ++p) {
      Pod one = with_spec("", gang + "-" + n(p));
      one.cpu = n(15500 + i % 500) + "m";
      one.metadata.annotations = "{" + text("scheduling.k8s.io/group-name", gang) + "}";
      made.push_back(pod(one));
    }
  }
  return made;
}

Texts priorities(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t p = 0; p < bytes / 400; ++p) {
    std::string one = pod(with_spec("", name(g, "p", p)));
    one.replace(one.find(R"("priority":0)"), 12,
                p % 2 == 0 ? R"("priority":2147483647)" : R"("priority":-2147483648)");
    made.push_back(one);
  }
  return made;
}

Texts amounts(std::size_t bytes, int g) {
  Texts made;
  const std::vector<std::string> kOdd{
      "-1", "9223372036854775807", "1e18", "-9223372036854775808", "99999999999999999999Ei", "0",
      "1n"};
  for (std::size_t i = 0; i < bytes / 400; ++i) {
    const std::string& odd = kOdd[i % kOdd.size()];
    made.push_back(group(
        {.name = name(g, "g", i)},
        R"("minMember":-5,"minResources":{)" + text("cpu", odd) + "," + text("memory", odd) + "}"));
  }
  return made;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies{
      {"apart_by_host", apart_by_host},
      {"apart_from_all", apart_from_all},
      {"near_by_many_keys", near_by_many_keys},
      {"prefers_by_many_keys", prefers_by_many_keys},
      {"spread_by_many_keys", spread_by_many_keys},
      {"spread_anyway", spread_anyway},
      {"near_many_namespaces", near_many_namespaces},
      {"near_many_values", near_many_values},
      {"labels_and_terms", labels_and_terms},
      {"many_pods_with_a_term", many_pods_with_a_term},
      {"many_running_with_a_term", many_running_with_a_term},
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
      {"group_roles", group_roles},
      {"roles_of_pods", roles_of_pods},
      {"groups_without_queue", groups_without_queue},
      {"group_texts", group_texts},
      {"group_of_claims", group_of_claims},
      {"groups_of_pods", groups_of_pods},
      {"owners", owners},
      {"owner_references", owner_references},
      {"budgets", budgets},
      {"services", services},
      {"shapes", shapes},
      {"shapes_that_wait", shapes_that_wait},
      {"gangs_that_wait", gangs_that_wait},
      {"priorities", priorities},
      {"amounts", amounts},
  };
  return kFamilies;
}

}  // namespace berth::hostile
