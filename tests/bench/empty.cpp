// The yardstick: a C++ program that does nothing, linked like robot-council.
#include <string>

int main(int argc, char** argv) {
  return std::string(argv[argc > 0 ? 0 : 0]).empty() ? 1 : 0;
}
