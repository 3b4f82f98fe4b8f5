#include "base/json_value.hpp"

#ifdef RC_JSON_INSTANCES
template class nlohmann::basic_json<nlohmann::ordered_map>;
#endif
