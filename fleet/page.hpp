#pragma once

#include <span>
#include <string_view>

#include "net/http_server.hpp"

namespace robot_council::fleet {

// A file of the program itself: its bytes were put into it at build time.
struct EmbeddedFile {
  std::string_view name;  // without a folder: "main.js"
  std::string_view bytes;
};

// The files of resources/operator/, in no order. Defined by a source that the build generates
// (tools/cmake/RcEmbed.cmake).
[[nodiscard]] std::span<const EmbeddedFile> operator_page();

// Registers the operator's page (service contract, 8.8): GET and HEAD of /robot-council/ and
// /robot-council/enroll, which are the same page, of its files below /robot-council/assets/, and
// redirects to it from / and /robot-council. Static, without data, without a token: what the page
// shows it reads with the operator's token from the operator's interface. Before server.start().
void install_page(net::HttpServer& server);

}  // namespace robot_council::fleet
