#pragma once

namespace robot_council::cli {

// Exit codes of every command (account contract, section 1). No other number leaves the programs,
// but for the answers to harnesses, which follow the harness's protocol.
enum class Exit : int {
  ok = 0,            // done, also: nothing to do
  failed = 1,        // failed or misconfigured
  usage = 2,         // unknown command, option or value; never from a delivering hook
  sink = 3,          // a sink exists and could not be read or written
  handed_over = 10,  // wait --hook handed events over
  interrupted = 130,
};

}  // namespace robot_council::cli
