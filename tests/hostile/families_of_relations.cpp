#include "hostile/family_text.h"

namespace berth::hostile {

namespace {

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
    one.node = "node-" + n(p % 50);  // on these, nobody else may run
    one.cpu = "1m";
    made.push_back(pod(one));
  }
  return made;
}

}  // namespace

std::vector<Family> families_of_relations() {
  return {
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
  };
}

}  // namespace berth::hostile
