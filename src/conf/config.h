#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/engine/configuration.h"

// The configuration file (DESIGN D8, docs/configuration.md) as a value.

namespace berth::conf {

struct TlsSettings {
  std::string cert_file;
  std::string key_file;
  std::string client_ca_file;  // empty: clients need no certificate
  bool operator==(const TlsSettings&) const = default;
};

struct ExtenderSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8890;
  std::optional<TlsSettings> tls;
  std::size_t max_body_bytes = std::size_t{64} << 20;
  std::size_t max_connections = 16'384;
  Duration idle_timeout = std::chrono::seconds(120);   // above kube-scheduler's 90 s
  Duration request_timeout = std::chrono::seconds(5);  // to receive one request
  bool operator==(const ExtenderSettings&) const = default;
};

// The gang barrier in bind (DESIGN D6).
struct BarrierSettings {
  Duration timeout = std::chrono::seconds(10);      // without a further member arriving
  Duration max_timeout = std::chrono::seconds(25);  // of one call: below httpTimeout
  bool operator==(const BarrierSettings&) const = default;
};

struct Config {
  engine::SessionConfig session;
  std::vector<std::string> scheduler_names{"berth"};  // spec.schedulerName of pods we decide for
  Duration schedule_period = std::chrono::seconds(1);
  std::string default_queue = "default";
  ExtenderSettings extender;
  BarrierSettings barrier;
  std::vector<std::string> warnings;  // what was accepted, but hardly meant; with places
  std::string text;                   // what it was read from
};

// What may be named in a configuration. Sorted.
struct KnownNames {
  std::vector<std::string> actions;
  std::vector<std::string> plugins;
  std::vector<std::string> points;
};

// Strict: unknown keys, actions, plugins, points and flags are refused, and so is a file without
// content. Plugin and action arguments are checked later, by those who read them.
Result<Config> load_config(std::string_view text, std::string_view file, const KnownNames& known);

// The table of all keys as Markdown; docs/configuration.md contains it.
std::string render_key_table();

}  // namespace berth::conf
