#pragma once

// Both sides of a sink: BridgeStore fills it, DeliveryStore hands it out.

#include "sink/bridge_store.hpp"    // IWYU pragma: export
#include "sink/delivery_store.hpp"  // IWYU pragma: export
