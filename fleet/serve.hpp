#pragma once

#include <functional>
#include <string>

#include "base/context.hpp"
#include "base/result.hpp"
#include "fleet/serve_options.hpp"

namespace robot_council::fleet {

// Runs the embedded service until SIGTERM or SIGINT, then stops it gracefully (service
// contract, 8.9). Blocks both signals, so it is called before any other thread exists. `listening`
// gets the one line for stdout, without its end, once the port accepts; false: it could not be
// written, and the service stops. Errors: busy: the port is taken, or another serve runs on the
// folder; refused: files open to others; of the store.
[[nodiscard]] base::Status serve(const ServeOptions& options, const base::Context& context,
                                 const std::function<bool(const std::string&)>& listening);

}  // namespace robot_council::fleet
