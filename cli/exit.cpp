#include "cli/exit.hpp"
