#include "daemon/configuration.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "conf/default_config.h"
#include "engine/scheduler.h"
#include "views/document_head.h"

namespace berth::daemon {

conf::KnownNames known_names() {
  conf::KnownNames known;
  known.actions = engine::action_names();
  known.plugins = engine::plugin_names();
  known.points = engine::points::names();
  return known;
}

namespace {

// The last check of a new configuration: that its plugins take their arguments.
Status can_be_made(const conf::Config& config) {
  if (auto scheduler = engine::Scheduler::create(config.session); !scheduler) {
    return scheduler.error();
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<Configuration>> Configuration::open(const std::string& file) {
  std::unique_ptr<Configuration> configuration(new Configuration());
  configuration->file_ = file;
  if (file.empty()) {
    auto config =
        conf::load_config(conf::default_config_text(), "the built-in default", known_names());
    if (!config) return config.error();
    configuration->first_ = std::make_shared<const conf::Config>(std::move(*config));
    return configuration;
  }
  auto source = conf::ConfigSource::open(file, known_names(), can_be_made);
  if (!source) return source.error();
  configuration->source_ = std::move(*source);
  configuration->first_ = configuration->source_->current();
  return configuration;
}

void Configuration::follow(Callbacks callbacks) {
  if (source_ == nullptr) return;
  const auto on_change = [this, callbacks](const std::string& text) {
    if (const Status taken = source_->offer(text); taken) {
      callbacks.adopt(*source_->current());
    } else {
      callbacks.complain(taken.error().to_string());
    }
  };
  auto watch = conf::FileWatch::start(file_, source_->current()->text, on_change);
  if (watch) {
    watch_ = std::move(*watch);
  } else {
    callbacks.complain("changes of the configuration will not be seen: " +
                       watch.error().to_string());
  }
}

void Configuration::unfollow() {
  if (watch_ != nullptr) watch_->stop();
}

std::vector<std::string> Configuration::waiting_for_restart() const {
  const auto now = current();
  std::vector<std::string> keys;
  if (now->scheduler_names != first_->scheduler_names) keys.push_back("schedulerNames");
  if (now->default_queue != first_->default_queue) keys.push_back("defaultQueue");
  if (now->default_queue_is_fifo != first_->default_queue_is_fifo) {
    keys.push_back("defaultQueueStrategy");
  }
  if (now->extender != first_->extender) keys.push_back("extender");
  if (now->pages != first_->pages) keys.push_back("pages");
  if (now->barrier != first_->barrier) keys.push_back("barrier");
  if (now->steering != first_->steering) keys.push_back("steering");
  if (now->view != first_->view) keys.push_back("view");
  if (now->jobs != first_->jobs) keys.push_back("jobs");
  if (now->constraints != first_->constraints) keys.push_back("constraints");
  if (now->topology != first_->topology) keys.push_back("topology");
  if (now->reservation != first_->reservation) keys.push_back("reservation");
  if (now->permissions != first_->permissions) keys.push_back("permissions");
  if (now->leader_election != first_->leader_election) keys.push_back("leaderElection");
  if (now->kube_api != first_->kube_api) keys.push_back("kubeAPI");
  if (now->history != first_->history) keys.push_back("history");
  if (now->forecast != first_->forecast) keys.push_back("forecast");
  if (now->page != first_->page) keys.push_back("page");
  if (now->fair_share != first_->fair_share) keys.push_back("fairShare");
  return keys;
}

std::shared_ptr<const conf::Config> Configuration::current() const {
  return source_ == nullptr ? first_ : source_->current();
}

std::string Configuration::describe() const {
  const auto config = current();
  nlohmann::ordered_json text = views::document_of_kind("EffectiveConfiguration");
  text["source"] = file_.empty() ? "built-in default" : file_;
  text["badLoads"] = source_ == nullptr ? 0 : source_->bad_loads();
  const auto error = source_ == nullptr ? std::nullopt : source_->last_error();
  text["lastError"] = error ? nlohmann::ordered_json(error->to_string()) : nullptr;
  text["warnings"] = config->warnings;
  auto& effective = text["effective"];
  for (const auto& action : config->session.actions) effective["actions"].push_back(action.name);
  for (const auto& tier : config->session.tiers) {
    auto names = nlohmann::ordered_json::array();
    for (const auto& plugin : tier) names.push_back(plugin.plugin.name);
    effective["tiers"].push_back(std::move(names));
  }
  effective["schedulerNames"] = first_->scheduler_names;
  effective["defaultQueue"] = first_->default_queue;
  text["waitingForRestart"] = waiting_for_restart();
  text["text"] = config->text;
  return text.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace berth::daemon
