// The small executable: what people and hooks call.

#include "cli/run.hpp"
#include "cli/small/actions.hpp"

int main(int argc, char** argv) {
  namespace cli = robot_council::cli;
  return cli::run_program(argc, argv, cli::Where::here, cli::small_bindings);
}
