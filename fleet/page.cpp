#include "fleet/page.hpp"

#include <array>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "service-api/paths.hpp"

namespace robot_council::fleet {

namespace path = service_api::path;

namespace {

// Nothing inline, nothing from elsewhere, in no frame. What an agent wrote reaches the page as text
// only; should a mistake ever make markup of it, no script of it runs and nothing is sent anywhere.
constexpr std::string_view kPolicy =
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'; style-src "
    "'self'; img-src 'self'; connect-src 'self'; form-action 'self'";

std::string_view content_type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes{
      {{".html", "text/html; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".svg", "image/svg+xml"}}};
  for (const auto& [ending, type] : kTypes) {
    if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending) {
      return type;
    }
  }
  return "application/octet-stream";
}

net::ServerResponse guarded_response() {
  net::ServerResponse response;
  response.headers = {{"Content-Security-Policy", std::string(kPolicy)},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-store"},
                      // Else the library promises ranges in answers to HEAD, and gives none.
                      {"Accept-Ranges", "none"}};
  return response;
}

void serve_at(net::HttpServer& server, const std::string& where,
              const net::ServerResponse& response) {
  for (const char* method : {"GET", "HEAD"}) {
    server.route(method, where,
                 [response](const net::ServerRequest&) -> net::HandlerResult { return response; });
  }
}

}  // namespace

void install_page(net::HttpServer& server) {
  bool has_page = false;
  for (const EmbeddedFile& file : operator_page()) {
    net::ServerResponse response = guarded_response();
    response.content_type = content_type_of(file.name);
    response.body = file.bytes;
    if (file.name == "index.html") {
      has_page = true;
      serve_at(server, std::string(path::kOperatorPage), response);
      serve_at(server, std::string(path::kEnrolPage), response);
    } else {
      serve_at(server, std::string(path::kOperatorAssets) + std::string(file.name), response);
    }
  }
  RC_CHECK(has_page);
  // Relative, so that a prefix which a proxy puts before all paths stays. Never kept by a browser:
  // tomorrow the port may be another program's.
  net::ServerResponse moved = guarded_response();
  moved.status = 307;
  moved.headers.emplace_back("Location", std::string(path::kOperatorPage.substr(1)));
  serve_at(server, "/", moved);
  serve_at(server, std::string(path::kOperatorPage.substr(0, path::kOperatorPage.size() - 1)),
           moved);
}

}  // namespace robot_council::fleet
