#pragma once

namespace robot_council::sink {

// For a program that opens a sink, looks and ends: SQLite then sets no memory aside beforehand, nor
// counts what it uses, and what a DeliveryStore had open is left for the end of the process, which
// frees at once what closing frees piece by piece. Once per process, before the first sink is
// opened; later it does nothing. Not for a program with threads that use SQLite meanwhile.
void prepare_one_shot();
[[nodiscard]] bool is_one_shot();

}  // namespace robot_council::sink
