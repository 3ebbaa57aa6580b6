#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "http/certificates.h"
#include "kubeapi/access.h"
#include "kubeapi/base64.h"
#include "kubeapi/credentials.h"

namespace berth::kubeapi {
namespace {

class Kubeconfig : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(directory_.file(name)) << text;
    return directory_.file(name);
  }
  // A file with one context of that cluster and user, both indented.
  std::string config(const std::string& cluster, const std::string& user) {
    return write("config", R"(apiVersion: v1
kind: Config
current-context: one
preferences: {}
contexts:
- name: one
  context: {cluster: c, user: u, namespace: team}
- name: two
  context: {cluster: d, user: u}
- name: broken
  context: {cluster: nowhere, user: u}
clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443/
)" + cluster + R"(
- name: d
  cluster:
    server: https://other.example.com/k8s/clusters/c-1
users:
- name: u
  user:
)" + user + "\n");
  }
  std::string refusal(const std::string& cluster, const std::string& user) {
    const auto access = load_kubeconfig(config(cluster, user));
    return access ? "it was accepted" : access.error().to_string();
  }

  http::testing::TemporaryDirectory directory_;
};

TEST_F(Kubeconfig, ReadsInlineCredentials) {
  const auto access =
      load_kubeconfig(config("    certificate-authority-data: Y2E=\n"
                             "    tls-server-name: kubernetes",
                             "    client-certificate-data: Y3J0\n"
                             "    client-key-data: a2V5\n"
                             "    token: abc"));
  ASSERT_TRUE(access) << access.error().to_string();
  EXPECT_EQ(access->server, "https://10.0.0.1:6443");
  EXPECT_EQ(access->ca.bytes, "ca");
  EXPECT_EQ(access->client_certificate.bytes, "crt");
  EXPECT_EQ(access->client_key.bytes, "key");
  EXPECT_EQ(access->token.bytes, "abc");
  EXPECT_EQ(access->tls_server_name, "kubernetes");
  EXPECT_EQ(access->name_space, "team");
  EXPECT_FALSE(access->insecure);
}

TEST_F(Kubeconfig, FindsFilesBesideItself) {
  const auto access = load_kubeconfig(config("    certificate-authority: pki/ca.crt",
                                             "    client-certificate: ./c.crt\n"
                                             "    client-key: /etc/c.key\n"
                                             "    token: abc\n"
                                             "    tokenFile: token"));
  ASSERT_TRUE(access) << access.error().to_string();
  EXPECT_EQ(access->ca.file, directory_.file("pki/ca.crt"));
  EXPECT_EQ(access->client_certificate.file, directory_.file("c.crt"));
  EXPECT_EQ(access->client_key.file, "/etc/c.key");
  EXPECT_EQ(access->token.file, directory_.file("token"));
  EXPECT_EQ(access->token.bytes, "");
}

TEST_F(Kubeconfig, ChoosesAContext) {
  const std::string file = config("", "    token: abc");
  const auto access = load_kubeconfig(file, "two");
  ASSERT_TRUE(access) << access.error().to_string();
  EXPECT_EQ(access->server, "https://other.example.com/k8s/clusters/c-1");
  EXPECT_EQ(access->name_space, "default");
  const auto missing = load_kubeconfig(file, "three");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no entry named \"three\""), std::string::npos);
  const auto broken = load_kubeconfig(file, "broken");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("no entry named \"nowhere\""), std::string::npos);
}

TEST_F(Kubeconfig, API8RefusesWhatItCannotDoWithAdvice) {
  EXPECT_NE(refusal("", "    exec: {command: aws, apiVersion: v1}").find("kubectl create token"),
            std::string::npos);
  EXPECT_NE(refusal("", "    auth-provider: {name: gcp}").find("since 1.26"), std::string::npos);
  EXPECT_NE(refusal("", "    username: a\n    password: b").find("passwords are not supported"),
            std::string::npos);
  EXPECT_NE(refusal("", "    as: admin").find("impersonation"), std::string::npos);
  EXPECT_NE(refusal("    proxy-url: http://p", "    token: a").find("proxies are not supported"),
            std::string::npos);
}

TEST_F(Kubeconfig, API30RunsAProgramForCredentialsWhereItMay) {
  const std::string program =
      write("login",
            "#!/bin/sh\n"
            "printf '%s' \"$KUBERNETES_EXEC_INFO\" > \"$1\"\n"
            "echo '{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"'$TOKEN'\"}}'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string given = program + ".given";
  const std::string file = config(
      "", "    exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: ['" +
              given +
              "'], env: [{name: TOKEN, value: t1}], provideClusterInfo: true, "
              "interactiveMode: Never}");
  const auto access = load_kubeconfig(file, {}, Programs::may_run);
  ASSERT_TRUE(access) << access.error().to_string();
  EXPECT_EQ(access->token.bytes, "t1");
  std::ifstream stream(given);
  const std::string info{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  EXPECT_NE(info.find("\"interactive\":false"), std::string::npos) << info;
  EXPECT_NE(info.find("\"server\":\"https://"), std::string::npos) << info;
}

TEST_F(Kubeconfig, API30SaysWhyAProgramGaveNoCredentials) {
  const auto refusal_of = [&](const std::string& script) {
    const std::string program = write("login", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const auto access = load_kubeconfig(
        config("",
               "    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./login}"),
        {}, Programs::may_run);
    return access ? std::string("accepted") : access.error().to_string();
  };
  EXPECT_NE(refusal_of("exit 3").find("ended with status 3, expected credentials"),
            std::string::npos);
  EXPECT_NE(refusal_of("echo hello").find("not valid JSON"), std::string::npos);
  EXPECT_NE(refusal_of("echo '{}'").find("expected an ExecCredential"), std::string::npos);
  EXPECT_NE(refusal_of("echo '{\"kind\":\"ExecCredential\",\"status\":{}}'")
                .find("neither a token nor a client certificate"),
            std::string::npos);
  const auto absent = load_kubeconfig(
      config("",
             "    exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-program, "
             "installHint: get it at example.com}"),
      {}, Programs::may_run);
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().message.find("cannot be started"), std::string::npos);
  EXPECT_NE(absent.error().message.find("get it at example.com"), std::string::npos);
}

TEST_F(Kubeconfig, RefusesWhatDoesNotFit) {
  EXPECT_NE(refusal("", "    client-certificate: a.crt").find("belong together"),
            std::string::npos);
  EXPECT_NE(refusal("    certificate-authority-data: '%'", "    token: a").find("not base64"),
            std::string::npos);
  EXPECT_NE(
      refusal("    certificate-authority: a\n    insecure-skip-tls-verify: true", "    token: a")
          .find("expected one of them"),
      std::string::npos);
}

TEST_F(Kubeconfig, RefusesOtherServers) {
  const auto with_server = [&](const std::string& server) {
    const auto access =
        load_kubeconfig(write("other",
                              "current-context: a\ncontexts: [{name: a, context: {cluster: a}}]\n"
                              "clusters: [{name: a, cluster: {server: '" +
                                  server + "'}}]\n"));
    return access ? std::string() : access.error().to_string();
  };
  EXPECT_EQ(with_server("https://a:1"), "");
  EXPECT_NE(with_server("http://a:1").find("expected https://"), std::string::npos);
  EXPECT_NE(with_server("https://[::1]:1").find("IPv6"), std::string::npos);
  EXPECT_NE(with_server("").find("server"), std::string::npos);
  EXPECT_EQ(with_server("https://host:99999"),
            directory_.file("other") +
                ":3:40: clusters[0].cluster.server: \"99999\" is no port, expected a number from 1 "
                "to 65535");
  for (const char* port : {"0", "-1", "+1", "", "1x", "1:2"}) {
    EXPECT_NE(with_server(std::string("https://a:") + port).find("is no port"), std::string::npos);
  }
  for (const char* host : {":1", "u@a:1", "a b"}) {
    EXPECT_NE(with_server(std::string("https://") + host).find("is no host"), std::string::npos);
  }
  EXPECT_NE(with_server("https://a:1/x?y").find("without blanks"), std::string::npos);
}

TEST_F(Kubeconfig, API21RefusesTokensThatWouldBreakAHeader) {
  const std::string refused = refusal("", "    token: \"secret\\r\\nX-Evil: 1\"");
  EXPECT_NE(refused.find("config:23:12: users[0].user.token: the token has the byte 0x0d at "
                         "character 7, expected printable ASCII on one line"),
            std::string::npos)
      << refused;
  EXPECT_EQ(refused.find("secret"), std::string::npos);
  EXPECT_NE(refusal("    tls-server-name: \"a\\r\\nb\"", "    token: a").find("tls-server-name"),
            std::string::npos);
}

TEST_F(Kubeconfig, API21RefusesATokenFileThatWouldBreakAHeader) {
  Access access;
  access.server = "https://a:1";
  access.token.file = write("token", "a\nb\n");
  const auto refused = Credentials::open(access);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            access.token.file +
                ": the token has the byte 0x0a at character 2, expected printable "
                "ASCII on one line");
  write("token", "good\n");
  const auto credentials = Credentials::open(access);
  ASSERT_TRUE(credentials);
  write("token", "bad\x01token");
  EXPECT_EQ((*credentials)->token(), "good");
  write("token", "better");
  EXPECT_EQ((*credentials)->token(), "better");
}

TEST_F(Kubeconfig, NamesAFileThatIsNotThere) {
  const auto access = load_kubeconfig(directory_.file("none"));
  ASSERT_FALSE(access);
  EXPECT_NE(access.error().to_string().find("none"), std::string::npos);
}

TEST_F(Kubeconfig, FindsTheServiceAccount) {
  unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_FALSE(in_cluster(directory_.file("")));
  setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  EXPECT_FALSE(in_cluster(directory_.file(".")));
  write("ca.crt", "ca");
  write("token", "t");
  write("namespace", "berth-system\n");
  const auto access = in_cluster(directory_.file("."));
  ASSERT_TRUE(access) << access.error().to_string();
  EXPECT_EQ(access->server, "https://10.96.0.1:443");
  EXPECT_EQ(access->token.file, directory_.file(".") + "/token");
  EXPECT_EQ(access->name_space, "berth-system");
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  EXPECT_EQ(in_cluster(directory_.file("."))->server, "https://kubernetes.default.svc:443");
  setenv("KUBERNETES_SERVICE_PORT", "99999", 1);
  EXPECT_NE(in_cluster(directory_.file(".")).error().to_string().find("\"99999\" is no port"),
            std::string::npos);
  unsetenv("KUBERNETES_SERVICE_HOST");
}

TEST(Base64, IsReadStrictly) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("YQ=="), "a");
  EXPECT_EQ(decode_base64("YWI=\n"), "ab");
  EXPECT_EQ(decode_base64("YW\nJj"), "abc");
  EXPECT_EQ(decode_base64("++//"), "\xfb\xef\xff");
  for (const char* bad : {"Y", "YQ", "YQ=", "YQ=a", "Y===", "YQ==YQ==", "Y?=="}) {
    EXPECT_EQ(decode_base64(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace berth::kubeapi
