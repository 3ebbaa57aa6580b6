#include "hostile/family_text.h"

namespace berth::hostile {

namespace {

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

// Names of resources that nobody has.
std::string invented(std::size_t bytes, int g) {
  return map(bytes / 24, [&](auto i) { return text(name(g, "evil.com/r", i), "1"); });
}

Texts resources_of_group(std::size_t bytes, int g) {
  return {group({.name = "g"}, R"("minMember":1,)" + member("minResources", invented(bytes, g)))};
}

Texts resources_of_groups(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t i = 0; i < 6; ++i) {
    made.push_back(
        group({.name = "g-" + n(i)},
              R"("minMember":1,)" + member("minResources", invented(bytes, g * 6 + int(i)))));
  }
  return made;
}

Texts resources_of_pods(std::size_t bytes, int g) {
  Texts made;
  for (std::size_t p = 0; p < 4; ++p) {
    Pod one = with_spec("", "p-" + n(p));
    one.containers = R"([{"name":"c","image":"app:1","resources":{"requests":)" +
                     invented(bytes / 4, g * 4 + int(p)) + "}}]";
    if (p % 2 == 0) {  // its user names the node
      one.scheduler = "default-scheduler";
      one.node = "node-" + n(p);
    }
    made.push_back(pod(one));
  }
  return made;
}

}  // namespace

std::vector<Family> families_of_groups() {
  return {
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
      {"resources_of_group", resources_of_group},
      {"resources_of_groups", resources_of_groups},
      {"resources_of_pods", resources_of_pods},
  };
}

}  // namespace berth::hostile
