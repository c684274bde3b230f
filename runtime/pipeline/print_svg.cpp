#include "troupe/pipeline/graph_layout.h"
#include "troupe/pipeline/picture_metrics.h"
#include "troupe/pipeline/print_spec.h"

#include <cstdio>
#include <string_view>

namespace troupe::pipeline {
namespace {

constexpr std::string_view kLoopColor = "#c2410c";
constexpr std::string_view kRequestColor = "#1d4ed8";
constexpr std::string_view kEventColor = "#15803d";

struct Colors {
  std::string_view fill;
  std::string_view line;
};

Colors colors_of(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::ingress:
      return {"#e0e7ff", "#4338ca"};
    case OperatorKind::stage:
      return {"#fef9c3", "#a16207"};
    case OperatorKind::router:
      return {"#fce7f3", "#be185d"};
    case OperatorKind::tokenizer:
      return {"#dcfce7", "#15803d"};
    default:
      return {"#ffedd5", "#c2410c"};
  }
}

std::string_view wire_color(MessageType message) {
  if (is_loop_message(message)) return kLoopColor;
  const bool asks = message == MessageType::request || message == MessageType::tokenized_request;
  return asks ? kRequestColor : kEventColor;
}

std::string_view marker_of(MessageType message) {
  const auto color = wire_color(message);
  return color == kLoopColor ? "loop" : color == kRequestColor ? "request" : "event";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
    else
      out += ' ';
  }
  return out;
}

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", value);
  std::string text = buffer;
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string rect(const Rect& at, double radius, std::string_view rest) {
  return "<rect x=\"" + number(at.x) + "\" y=\"" + number(at.y) + "\" width=\"" + number(at.width) +
         "\" height=\"" + number(at.height) + "\" rx=\"" + number(radius) + "\" " +
         std::string(rest) + "/>\n";
}

std::string text_at(double x, double y, std::string_view rest, std::string_view text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + std::string(rest) + ">" +
         escaped(text) + "</text>\n";
}

std::string marker(std::string_view name, std::string_view color) {
  return "<marker id=\"" + std::string(name) +
         "\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" "
         "orient=\"auto\"><path d=\"M0 1 L9 5 L0 9 z\" fill=\"" +
         std::string(color) + "\"/></marker>\n";
}

std::string head(const PipelineSpec& spec, const GraphLayout& layout) {
  const auto width = number(layout.width);
  const auto height = number(layout.height);
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" +
                     height + "\" viewBox=\"0 0 " + width + " " + height +
                     "\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>" +
                     escaped(spec.name) + "</title>\n<defs>\n";
  text += marker("request", kRequestColor) + marker("event", kEventColor) +
          marker("loop", kLoopColor) + "</defs>\n";
  text += rect({0, 0, layout.width, layout.height}, 0, "fill=\"#ffffff\"");
  text += text_at(kMargin, kMargin + 10, "font-size=\"18\" font-weight=\"bold\" fill=\"#111827\"",
                  spec.name);
  return text +
         text_at(kMargin, kMargin + 28, "font-size=\"12\" fill=\"#4b5563\"", spec.description);
}

std::string region_text(const Rect& region) {
  if (region.width == 0) return {};
  return rect(region, 14,
              "fill=\"#fff7ed\" stroke=\"#fdba74\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"") +
         text_at(region.x + 14, region.y + 21,
                 "font-size=\"12\" font-weight=\"bold\" fill=\"#c2410c\"", "token loop");
}

std::string wire_text(const Wire& wire, const std::vector<Point>& path) {
  std::string shape = "M" + number(path[0].x) + " " + number(path[0].y);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto& from = path[i - 1];
    const auto& to = path[i];
    const auto middle = number((from.x + to.x) / 2);
    if (i % 2 == 1)
      shape += " C" + middle + " " + number(from.y) + " " + middle + " " + number(to.y) + " " +
               number(to.x) + " " + number(to.y);
    else
      shape += " L" + number(to.x) + " " + number(to.y);
  }
  return "<path d=\"" + shape + "\" fill=\"none\" stroke=\"" +
         std::string(wire_color(wire.message)) + "\" stroke-width=\"" +
         (is_loop_message(wire.message) ? "2" : "1.6") + "\" marker-end=\"url(#" +
         std::string(marker_of(wire.message)) + ")\"/>\n";
}

std::string label_text(const PipelineSpec& spec, const Wire& wire, const Rect& at, bool in_region) {
  const auto ports = spec.operators[wire.from.op].name + "." + wire.from.port + " -> " +
                     spec.operators[wire.to.op].name + "." + wire.to.port;
  return "<g><title>" + escaped(ports) + "</title>\n" +
         rect(at, 4, in_region ? "fill=\"#fff7ed\"" : "fill=\"#ffffff\"") +
         text_at(at.x + at.width / 2, at.y + 12,
                 "font-size=\"11\" text-anchor=\"middle\" fill=\"" +
                     std::string(wire_color(wire.message)) + "\"",
                 to_string(wire.message)) +
         "</g>\n";
}

std::string box_text(const PipelineOperator& op, const Rect& at) {
  const auto colors = colors_of(op.kind);
  const auto middle = at.y + at.height / 2;
  return rect(at, 9,
              "fill=\"" + std::string(colors.fill) + "\" stroke=\"" + std::string(colors.line) +
                  "\" stroke-width=\"1.5\"") +
         text_at(at.x + at.width / 2, middle - 3,
                 "font-size=\"14\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"#111827\"",
                 op.name) +
         text_at(at.x + at.width / 2, middle + 15,
                 "font-size=\"11\" text-anchor=\"middle\" fill=\"#4b5563\"", box_subtitle(op));
}

}  // namespace

std::string print_svg(const PipelineSpec& spec) {
  const auto layout = lay_out_graph(spec);
  std::string text = head(spec, layout);
  for (const auto& region : layout.regions)
    text += region_text(region);
  for (std::size_t i = 0; i < spec.wires.size(); ++i)
    text += wire_text(spec.wires[i], layout.paths[i]);
  for (std::size_t i = 0; i < spec.wires.size(); ++i) {
    bool in_region = false;
    for (const auto& region : layout.regions)
      in_region = in_region || region.overlaps(layout.labels[i]);
    text += label_text(spec, spec.wires[i], layout.labels[i], in_region);
  }
  for (std::size_t i = 0; i < spec.operators.size(); ++i)
    text += box_text(spec.operators[i], layout.boxes[i]);
  return text + "</svg>\n";
}

}  // namespace troupe::pipeline
