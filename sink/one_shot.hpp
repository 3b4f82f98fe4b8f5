#pragma once

namespace robot_council::sink {

// For a program that opens a sink, looks and ends: SQLite then sets no memory aside beforehand, nor
// counts what it uses. Once per process, before the first sink is opened; later it does nothing.
// Not for a program with threads that use SQLite meanwhile.
void prepare_one_shot();

}  // namespace robot_council::sink
