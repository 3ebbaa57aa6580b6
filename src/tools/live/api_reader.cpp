#include "tools/live/api_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "document/readers.h"

namespace berth::tools {

namespace {

constexpr const char* kPage = "limit=500";
// Of one list, at most: a million objects. A server could go on for ever.
constexpr int kPagesMost = 2'000;

std::string path_of(const Resource& resource, const std::string& name_space) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/";
  path += resource.version;
  if (!name_space.empty()) path += "/namespaces/" + kubeapi::url_encoded(name_space);
  return path + "/" + resource.plural;
}

document::Value* member(document::Value& value, std::string_view key) {
  for (document::Member& each : value.members) {
    if (each.key == key) return &each.value;
  }
  return nullptr;
}

bool is_map(const document::Value* value) {
  return value != nullptr && value->kind == document::Kind::map;
}

// Anything may answer at the address of an API server. An empty list may be null, as Go writes it.
bool is_page(const document::Value& value) {
  const document::Value* const items = value.find("items");
  return is_map(value.find("metadata")) && items != nullptr &&
         (items->kind == document::Kind::list || items->kind == document::Kind::null) &&
         std::all_of(items->items.begin(), items->items.end(),
                     [](const document::Value& item) { return is_map(&item); });
}

bool is_object_of(const document::Value& value, const std::string& name) {
  return value.text_at({"metadata", "name"}) == name;
}

// "kubectl create rolebinding ...": what gives the right.
std::string advice_text(const std::string& user, const std::string& name_space,
                        const RoleAdvice& advice) {
  constexpr std::string_view kAccount = "system:serviceaccount:";
  const bool is_account = user.starts_with(kAccount);
  const std::string subject = is_account ? "--serviceaccount=" + user.substr(kAccount.size())
                                         : "--user=" + (user.empty() ? "NAME" : user);
  const bool is_wide = advice.is_for_cluster || name_space.empty();
  return "the ClusterRole \"" + advice.role + "\" has this right" +
         (is_wide ? "" : " in a namespace") + "; an administrator grants it: kubectl create " +
         (is_wide ? "clusterrolebinding" : "rolebinding -n " + name_space) +
         " NAME --clusterrole=" + advice.role + " " + subject;
}

}  // namespace

std::string user_in(const std::string& message) {
  constexpr std::string_view kBefore = "User \"";
  const std::size_t at = message.find(kBefore);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kBefore.size();
  const std::size_t end = message.find('"', begin);
  return end == std::string::npos ? "" : message.substr(begin, end - begin);
}

Result<std::unique_ptr<ApiReader>> ApiReader::open(const KubeFlags& flags, Duration deadline) {
  kubeapi::prepare_process();
  Result<kubeapi::Access> access = open_access(flags);
  if (!access) return access.error();
  std::string name_space = access->name_space;
  kubeapi::RestOptions options;
  options.qps = 0;
  options.user_agent = "berth/" BERTH_VERSION;
  auto client = kubeapi::RestClient::create(std::move(*access), options);
  if (!client) return client.error();
  return std::unique_ptr<ApiReader>(
      new ApiReader(std::move(*client), std::move(name_space), deadline));
}

Objects ApiReader::refused(const kubeapi::Response& response, const std::string& verb,
                           const Resource& resource, const std::string& name_space,
                           const RoleAdvice& advice) const {
  const std::string where = name_space.empty() ? "" : " in namespace " + name_space;
  const std::string what = verb + " " + resource.full_name() + where;
  constexpr int kUnauthorized = 401;
  constexpr int kForbidden = 403;
  constexpr int kNotFound = 404;
  switch (response.status) {
    case kForbidden: {
      const std::string user = user_in(response.to_string());
      return {{},
              Refusal::forbidden,
              (user.empty() ? "the user" : "user \"" + user + "\"") + " may not " + what + ": " +
                  advice_text(user, name_space, advice)};
    }
    case kNotFound:
      return {{}, Refusal::not_found, server() + " has no " + resource.full_name() + where};
    case kUnauthorized:
      return {{},
              Refusal::other,
              server() +
                  " does not know the user (401), expected valid credentials in the "
                  "kubeconfig: " +
                  response.to_string()};
    default:
      return {{}, Refusal::other, "cannot " + what + ": " + response.to_string()};
  }
}

Objects ApiReader::list(const Resource& resource, const std::string& name_space,
                        const std::string& query, const RoleAdvice& advice) {
  const std::string path =
      path_of(resource, name_space) + "?" + kPage + (query.empty() ? "" : "&" + query);
  Objects objects;
  const auto cannot = [&](const std::string& why) -> Objects {
    return {{}, Refusal::other, "cannot list " + resource.full_name() + ": " + server() + why};
  };
  std::set<std::string> tokens;
  std::string next;
  for (int pages = 0; pages < kPagesMost; ++pages) {
    kubeapi::Request request;
    request.deadline = deadline_;
    request.path = path + (next.empty() ? "" : "&continue=" + kubeapi::url_encoded(next));
    kubeapi::Response response = client_->call(std::move(request));
    if (!response.ok()) return refused(response, "list", resource, name_space, advice);
    Result<document::Value> page = document::parse_json(std::move(response.body), server() + path);
    if (!page) return {{}, Refusal::other, page.error().to_string()};
    if (!is_page(*page)) return cannot(" answers without a list, expected metadata and items");
    if (document::Value* const items = member(*page, "items")) {
      for (document::Value& item : items->items) objects.items.push_back(std::move(item));
    }
    next = page->text_at({"metadata", "continue"});
    if (next.empty()) return objects;
    if (!tokens.insert(next).second) {
      return cannot(" answers with a \"continue\" that it gave before, expected the next page");
    }
  }
  return cannot(" does not end the list, expected at most " + std::to_string(kPagesMost) +
                " pages");
}

Objects ApiReader::get(const Resource& resource, const std::string& name_space,
                       const std::string& name) {
  kubeapi::Request request;
  request.deadline = deadline_;
  request.path = path_of(resource, name_space) + "/" + kubeapi::url_encoded(name);
  kubeapi::Response response = client_->call(std::move(request));
  if (!response.ok()) return refused(response, "get", resource, name_space, {});
  Result<document::Value> value = document::parse_json(std::move(response.body), request.path);
  if (!value) return {{}, Refusal::other, value.error().to_string()};
  if (!is_object_of(*value, name)) {
    return {{},
            Refusal::other,
            "cannot get " + resource.full_name() + ": " + server() +
                " answers without an object, expected \"" + name + "\""};
  }
  Objects objects;
  objects.items.push_back(std::move(*value));
  return objects;
}

}  // namespace berth::tools
