#include "results/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "results/charts.h"
#include "results/number_text.h"

namespace berth::results {

namespace {

constexpr int kMostNodes = 200;
constexpr double kGanttWidth = 1'120;
constexpr double kLeft = 120;
constexpr double kWhole = 0.999;  // a share from which on a node counts as taken whole
constexpr int kJobColours = 12;   // of jobs, in the style

struct Rectangle {
  const JobTimes* job = nullptr;
  std::size_t number = 0;  // of the job
  int first = 0;           // node
  int count = 1;           // nodes: more than one only if they are taken whole
  double share = 1;
  double offset = 0;  // within the node

  double area() const { return job->last_run->length() * share * count; }
  bool is_whole() const { return share >= kWhole; }
};

struct Drawn {
  std::vector<Rectangle> rectangles;
  std::size_t all = 0;  // of the shown nodes
};

// Neighbours that are taken whole are one rectangle.
void add_rectangles(const JobTimes& job, std::size_t number, int nodes,
                    std::vector<Rectangle>& rectangles) {
  std::vector<std::pair<std::int32_t, double>> places = job.job->nodes;
  std::sort(places.begin(), places.end(), [](const auto& left, const auto& right) {
    return std::pair(left.first, bounded(left.second)) <
           std::pair(right.first, bounded(right.second));
  });
  const std::size_t before = rectangles.size();
  for (const auto& [node, given] : places) {
    const double share = std::min(1.0, bounded_amount(given));
    if (node < 0 || node >= nodes || share <= 0) continue;
    const bool has_last = rectangles.size() > before;
    if (has_last && share >= kWhole && rectangles.back().is_whole() &&
        rectangles.back().first + rectangles.back().count == node) {
      ++rectangles.back().count;
    } else {
      rectangles.push_back({.job = &job, .number = number, .first = node, .share = share});
    }
  }
}

Drawn rectangles_of(const std::vector<JobTimes>& jobs, int nodes, std::size_t most) {
  Drawn drawn;
  std::vector<const JobTimes*> started;
  for (const JobTimes& job : jobs) {
    if (job.last_run && job.last_run->length() > 0) started.push_back(&job);
  }
  std::stable_sort(started.begin(), started.end(), [](const JobTimes* left, const JobTimes* right) {
    return left->last_run->from < right->last_run->from;
  });
  for (std::size_t i = 0; i < started.size(); ++i) {
    add_rectangles(*started[i], i, nodes, drawn.rectangles);
  }
  drawn.all = drawn.rectangles.size();
  const auto key = [](const Rectangle& each) { return std::pair(each.number, each.first); };
  if (drawn.all > most) {
    std::sort(drawn.rectangles.begin(), drawn.rectangles.end(),
              [&](const Rectangle& left, const Rectangle& right) {
                const double difference = left.area() - right.area();
                return difference != 0 ? difference > 0 : key(left) < key(right);
              });
    drawn.rectangles.resize(most);
  }
  std::sort(drawn.rectangles.begin(), drawn.rectangles.end(),
            [&](const Rectangle& left, const Rectangle& right) { return key(left) < key(right); });
  return drawn;
}

// The lowest free part of the node that is large enough; at the top if there is none.
double free_offset(std::vector<const Rectangle*>& running, const Rectangle& next) {
  std::erase_if(running, [&](const Rectangle* each) {
    return each->job->last_run->to <= next.job->last_run->from;
  });
  std::sort(running.begin(), running.end(), [](const Rectangle* left, const Rectangle* right) {
    return left->offset < right->offset;
  });
  double offset = 0;
  for (const Rectangle* each : running) {
    if (each->offset - offset >= next.share - 1e-9) return offset;
    offset = std::max(offset, each->offset + each->share);
  }
  return std::min(offset, 1 - next.share);
}

// Gives jobs that share a node places beside each other. Rectangles are by start.
void arrange(std::vector<Rectangle>& rectangles) {
  std::map<int, std::vector<const Rectangle*>> running;
  for (Rectangle& each : rectangles) {
    if (each.is_whole()) continue;
    std::vector<const Rectangle*>& beside = running[each.first];
    each.offset = free_offset(beside, each);
    beside.push_back(&each);
  }
}

// A pointer on the job shows it.
std::string title_of(const JobTimes& job) {
  return "<title>" + escaped(job.job->id, 40) + ": " + duration_text(job.wait()) + " wait, " +
         duration_text(job.last_run->length()) + "</title>";
}

std::string drawn_rectangles(const std::vector<Rectangle>& rectangles, const Axis& x,
                             const Box& box, double row, bool has_titles) {
  constexpr double kThinnest = 0.4;
  std::string drawing;
  for (std::size_t i = 0; i < rectangles.size();) {
    const JobTimes& job = *rectangles[i].job;
    const double left = box.x(x, job.last_run->from);
    const double width = std::max(kThinnest, box.x(x, job.last_run->to) - left);
    drawing += fmt::format("<path class=\"g{}\" d=\"", rectangles[i].number % kJobColours);
    for (; i < rectangles.size() && rectangles[i].job == &job; ++i) {
      const Rectangle& each = rectangles[i];
      drawing +=
          fmt::format("M{} {}h{}v{}h-{}z", coordinate(left),
                      coordinate(box.top + row * (each.first + each.offset)), coordinate(width),
                      coordinate(row * each.count * each.share), coordinate(width));
    }
    drawing += has_titles ? "\">" + title_of(job) + "</path>" : "\"/>";
  }
  return drawing;
}

std::string node_names(const RunResult& run, int nodes, const Box& box, double row) {
  constexpr double kLineHeight = 13;
  const int each = static_cast<int>(kLineHeight / row) + 1;
  std::string drawing;
  for (int node = 0; node < nodes; node += row >= kLineHeight ? 1 : each) {
    const auto index = static_cast<std::size_t>(node);
    const std::string name = index < run.node_names.size() ? escaped(run.node_names[index], 16)
                                                           : fmt::format("{}", node);
    drawing +=
        fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                    coordinate(box.left - 6), coordinate(box.top + row * (node + 0.5) + 4), name);
  }
  return drawing;
}

int node_count(const RunResult& run) {
  double count = std::max(bounded_amount(run.nodes), static_cast<double>(run.node_names.size()));
  return static_cast<int>(std::min(count, 1e9));
}

std::string what_is_left_out(const Drawn& drawn, int nodes, int shown) {
  std::string text;
  if (nodes > shown) {
    text +=
        fmt::format("The first {} of {} nodes are shown. ", count_text(shown), count_text(nodes));
  }
  if (drawn.all > drawn.rectangles.size()) {
    text += fmt::format("Of {} rectangles, the {} largest are drawn; others look idle. ",
                        count_text(static_cast<std::int64_t>(drawn.all)),
                        count_text(static_cast<std::int64_t>(drawn.rectangles.size())));
  }
  return text + "A rectangle is a job on its nodes; a pointer on it shows the job's name.";
}

}  // namespace

std::string gantt_chart(const JudgedRun& run, const Interval& time, const GanttLimits& limits) {
  constexpr double kLeastHeight = 60;
  constexpr double kMostHeight = 600;
  constexpr double kMostRow = 16;
  const std::vector<JobTimes> jobs = times_of(run.result);
  const int nodes = node_count(run.result);
  const int shown = std::min(nodes, kMostNodes);
  Drawn drawn = rectangles_of(jobs, shown, limits.rectangles);
  const std::string name = escaped(run.result.name);
  if (drawn.rectangles.empty()) {
    return figure_without_chart(name, "The run does not say on which nodes jobs ran.");
  }
  arrange(drawn.rectangles);
  const double row = std::min(kMostRow, kMostHeight / shown);
  Box box{kLeft, 6, kGanttWidth - 20, 0};
  box.bottom = box.top + std::max(kLeastHeight, row * shown);
  const Axis x = time_axis(time.from, time.to, "time since the first submission");
  const std::string description =
      fmt::format("Gantt chart of {}: {} rectangles of jobs on {} nodes over {}", run.result.name,
                  drawn.rectangles.size(), shown, duration_text(time.length()));
  std::string drawing = drawn_rectangles(drawn.rectangles, x, box, row, true);
  if (drawing.size() > limits.bytes) {
    drawing = drawn_rectangles(drawn.rectangles, x, box, row, false);
  }
  return figure({name, what_is_left_out(drawn, nodes, shown), description}, "", kGanttWidth,
                box.bottom + 44,
                drawn_x_axis(x, box) + node_names(run.result, shown, box, row) + drawing);
}

}  // namespace berth::results
