#include "forecast/intervals.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "document/readers.h"
#include "forecast/saved.h"

namespace berth::forecast {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMinute = 60;       // seconds that are added, so that 0 has a logarithm
constexpr std::size_t kEnough = 32;  // errors that a class needs
constexpr double kStep = 0.02;       // by which the level follows
constexpr double kPriorLow = -1.6, kPriorHigh = 1.0;  // before anything came
constexpr double kParts = 1'000;                      // in which numbers are saved
constexpr std::int64_t kErrorMost = 40'000;
constexpr std::int64_t kMissMost = 600;

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

double log_of(Duration time) { return std::log(std::max(0.0, seconds_of(time)) + kMinute); }

Duration from_log(double value) {
  constexpr double kLongest = 1e9;  // s
  const double seconds = std::clamp(std::exp(value) - kMinute, 0.0, kLongest);
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::llround(seconds * 1000)));
}

double quantile(const std::vector<double>& sorted, double part) {
  const double place = std::clamp(part, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double rest = place - static_cast<double>(below);
  return sorted[below] * (1 - rest) + sorted[above] * rest;
}

}  // namespace

std::size_t Intervals::class_of(Duration planned) {
  const double octaves = std::log2(seconds_of(planned) / kMinute + 1);
  return std::min(kClasses - 1, static_cast<std::size_t>(std::max(0.0, octaves)));
}

// LIKELY-2. Those of its class, and of the classes beside it until there are enough.
std::vector<double> Intervals::errors_near(std::size_t index) const {
  std::vector<double> errors = classes_[index].errors;
  for (std::size_t by = 1; by < kClasses && errors.size() < kEnough; ++by) {
    for (const std::size_t other : {index - by, index + by}) {
      if (other >= kClasses) continue;
      const auto& more = classes_[other].errors;
      errors.insert(errors.end(), more.begin(), more.end());
    }
  }
  return errors;
}

Interval Intervals::around(Duration planned) const {
  const std::size_t index = class_of(planned);
  std::vector<double> errors = errors_near(index);
  double low = kPriorLow;
  double high = kPriorHigh;
  if (errors.size() >= kEnough) {
    std::sort(errors.begin(), errors.end());
    const double miss = std::clamp(classes_[index].miss, 0.0, 1.0);
    low = quantile(errors, miss / 2);
    high = quantile(errors, 1 - miss / 2);
  }
  return {from_log(log_of(planned) + low), from_log(log_of(planned) + high)};
}

void Intervals::learn(Duration planned, const Interval& given, Duration came) {
  Class& of = classes_[class_of(planned)];
  if (of.errors.size() == kErrorsMost) of.errors.erase(of.errors.begin());
  of.errors.push_back(log_of(came) - log_of(planned));
  const double missed = given.holds(came) ? 0 : 1;
  // LIKELY-3
  of.miss = std::clamp(of.miss + kStep * (1 - kCoverage - missed), 0.0, 0.6);
}

std::string Intervals::save() const {
  Json classes = Json::array();
  for (const Class& each : classes_) {
    Json errors = Json::array();
    for (const double error : each.errors) errors.push_back(std::llround(error * kParts));
    classes.push_back({{"miss", std::llround(each.miss * kParts)}, {"errors", std::move(errors)}});
  }
  const Json document{{"version", kSavedVersion}, {"classes", std::move(classes)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Status Intervals::restore(const std::string& text) {
  constexpr const char* kSource = "intervals";
  const Result<document::Value> value = document::parse_json(text, kSource);
  if (!value) return value.error();
  document::Reading reading(*value, kSource);
  const document::Cursor root = reading.root();
  require_version(root);
  const std::vector<document::Cursor> classes = root["classes"].items();
  if (classes.size() != kClasses) root.complain("not as many classes as there are");
  std::array<Class, kClasses> read;
  for (std::size_t i = 0; i < std::min(classes.size(), kClasses); ++i) {
    const std::vector<document::Cursor> errors = classes[i]["errors"].items();
    if (errors.size() > kErrorsMost) classes[i].complain("expected fewer errors");
    read[i].miss = static_cast<double>(classes[i]["miss"].integer(0, 0, kMissMost)) / kParts;
    for (const document::Cursor& each : errors) {
      const std::int64_t error = each.integer(0, -kErrorMost, kErrorMost);
      read[i].errors.push_back(static_cast<double>(error) / kParts);
    }
  }
  if (reading.failed()) return reading.error();
  classes_ = std::move(read);
  return Done{};
}

}  // namespace berth::forecast
