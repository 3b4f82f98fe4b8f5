#include "stops/html_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "base/utf8.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops::html {
namespace {

constexpr double kWhole = 100;  // every drawing's box is 100 wide

// "12.34", without a locale.
std::string decimal(double value) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.2f", value);
  std::string out(text.data(), static_cast<std::size_t>(std::max(length, 0)));
  std::replace(out.begin(), out.end(), ',', '.');
  return out;
}

std::string rect(double x, double y, double width, double height, std::string_view css) {
  return "<rect x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\" width=\"" + decimal(width) +
         "\" height=\"" + decimal(height) + "\" class=\"" + std::string(css) + "\"/>";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view css) {
  return "<line x1=\"" + decimal(x1) + "\" y1=\"" + decimal(y1) + "\" x2=\"" + decimal(x2) +
         "\" y2=\"" + decimal(y2) + "\" class=\"" + std::string(css) + "\"/>";
}

std::string svg(std::string_view css, double height, std::string_view words,
                const std::string& shapes) {
  return "<svg class=\"" + std::string(css) + "\" viewBox=\"0 0 100 " + decimal(height) +
         R"(" preserveAspectRatio="none" role="img" aria-label=")" + escape(words) + "\">" +
         shapes + "</svg>";
}

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole) * kWhole;
}

// Place of a cell of the mosaic, in per cents of the whole.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

// A label in a cell of the mosaic; none where it would not fit.
std::string cell_label(const Box& box, std::string_view css, std::int64_t count,
                       std::string_view words) {
  constexpr double kLeastWidth = 22;
  constexpr double kLeastHeight = 20;
  if (box.width < kLeastWidth || box.height < kLeastHeight) {
    return {};
  }
  return "<span class=\"" + std::string(css) + "\" style=\"left:" + decimal(box.x) +
         "%;top:" + decimal(box.y) + "%;width:" + decimal(box.width) + "%\"><b>" +
         std::to_string(count) + "</b>" + std::string(words) + "</span>";
}

// One column of the mosaic.
struct Column {
  double x = 0;
  double width = 0;
  std::int64_t continued = 0;
  std::int64_t left = 0;
  std::string_view strong;
  std::string_view soft;
  std::string_view words;
};

void add_column(const Column& column, std::string& shapes, std::string& labels) {
  constexpr double kSeam = 0.7;
  const double split = share(column.continued, column.continued + column.left);
  if (column.width <= 0) {
    return;
  }
  const double width = std::max(column.width - kSeam, 0.3);
  if (column.continued > 0) {
    shapes += rect(column.x, 0, width, std::max(split - kSeam, 0.3), column.strong);
  }
  if (column.left > 0) {
    shapes += rect(column.x, split, width, kWhole - split, column.soft);
  }
  labels += cell_label({column.x, 0, width, split}, "strong", column.continued,
                       "continue, " + std::string(column.words));
  labels += cell_label({column.x, split, width, kWhole - split}, "", column.left,
                       "leave, " + std::string(column.words));
}

// Points of one line of the trend; a week without a value breaks it.
std::string curve(const std::vector<std::optional<double>>& values, std::string_view stroke) {
  const double step = kWhole / static_cast<double>(values.size());
  std::string path;
  std::string dots;
  bool pen = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) {
      pen = false;
      continue;
    }
    const double x = (static_cast<double>(i) + 0.5) * step;
    const double y = kWhole - *values[i] * kWhole;
    path += (pen ? "L" : "M") + decimal(x) + " " + decimal(y);
    dots += line(x, y, x, y, "dot " + std::string(stroke));
    pen = true;
  }
  return path.empty()
             ? path
             : "<path d=\"" + path + "\" class=\"line " + std::string(stroke) + "\"/>" + dots;
}

std::optional<double> ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::nullopt
                    : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : base::without_controls(text, base::Keep::nothing)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string strip(const Share& interval, std::string_view words) {
  constexpr double kHeight = 14;
  constexpr double kMiddle = kHeight / 2;
  constexpr double kBand = 6;
  const double low = interval.low * kWhole;
  const double high = interval.high * kWhole;
  const double rate = interval.rate * kWhole;
  return svg("strip", kHeight, words,
             rect(0, kMiddle - 1, kWhole, 2, "faint") +
                 rect(low, kMiddle - kBand / 2, std::max(high - low, 0.5), kBand, "go-soft") +
                 line(rate, kMiddle, rate, kMiddle, "dot s-go")) +
         "<div class=\"scale\"><span>0</span><span>50</span><span>100 %</span></div>";
}

std::string bar(const std::vector<Part>& parts, std::int64_t whole, std::string_view css,
                std::string_view words) {
  constexpr double kHeight = 10;
  std::string shapes = css == "stack" ? rect(0, 0, kWhole, kHeight, "faint") : std::string();
  double at = 0;
  for (const Part& part : parts) {
    if (part.count > 0) {
      const double width = share(part.count, whole);
      shapes += rect(at, 0, width, kHeight, part.css);
      at += width;
    }
  }
  return svg(css, kHeight, words, shapes);
}

std::string mosaic(const Cells& cells) {
  if (cells.all() == 0) {
    return {};
  }
  const double goaheads = share(cells.goaheads(), cells.all());
  std::string shapes;
  std::string labels;
  add_column(
      {0, goaheads, cells.continue_goahead, cells.leave_goahead, "go", "go-soft", "go-ahead"},
      shapes, labels);
  add_column({goaheads, kWhole - goaheads, cells.continue_other, cells.leave_other, "else",
              "else-soft", "something else"},
             shapes, labels);
  return "<div class=\"mosaic\">" +
         svg("", kWhole, "the four cells of the table by their size", shapes) + labels + "</div>";
}

std::string trend(const std::vector<NamedCells>& weeks) {
  if (weeks.empty()) {
    return {};
  }
  std::int64_t most = 1;
  for (const auto& week : weeks) {
    most = std::max(most, week.cells.all());
  }
  constexpr double kBarHeight = 92;  // the largest week stays below the 100 % line
  constexpr double kBarWidth = 0.62;
  const double step = kWhole / static_cast<double>(weeks.size());
  const double width = std::min(step * kBarWidth, 9.0);
  std::string shapes;
  for (const double y : {0.0, 50.0, 100.0}) {
    shapes += line(0, y, kWhole, y, "grid");
  }
  std::vector<std::optional<double>> precision;
  std::vector<std::optional<double>> goaheads;
  for (std::size_t i = 0; i < weeks.size(); ++i) {
    const Cells& cells = weeks[i].cells;
    const double height = static_cast<double>(cells.all()) / static_cast<double>(most) * kBarHeight;
    shapes += rect((static_cast<double>(i) + 0.5) * step - width / 2, kWhole - height, width,
                   height, "bars");
    const bool enough = cells.all() >= kFewPairs;
    precision.push_back(enough ? ratio(cells.continue_goahead, cells.continued()) : std::nullopt);
    goaheads.push_back(enough ? ratio(cells.goaheads(), cells.all()) : std::nullopt);
  }
  shapes += curve(goaheads, "s-ink") + curve(precision, "s-go");
  return "<div class=\"chart\"><i style=\"top:0\">100 %</i><i style=\"top:50%\">50</i>"
         "<i style=\"top:100%\">0</i>" +
         svg("", kWhole, "pairs, precision and share of go-aheads by week", shapes) +
         "</div><div class=\"scale under\"><span>" + escape(weeks.front().name) + "</span><span>" +
         (weeks.size() > 1 ? escape(weeks.back().name) : std::string()) + "</span></div>";
}

std::string swatch(std::string_view css) {
  return "<svg class=\"swatch\" viewBox=\"0 0 1 1\" aria-hidden=\"true\"><rect width=\"1\" "
         "height=\"1\" class=\"" +
         std::string(css) + "\"/></svg>";
}

}  // namespace robot_council::stops::html
