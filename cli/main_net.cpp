// The network executable: bridge, service, enrolment. Started by robot-council.

#include "cli/net/actions.hpp"
#include "cli/run.hpp"

int main(int argc, char** argv) {
  namespace cli = robot_council::cli;
  return cli::run_program(argc, argv, cli::Where::net, cli::net_bindings);
}
