#pragma once

// The one way to cpp-httplib. Its -D flags are part of its ABI: without those of its .pc file
// classes have another size than in the shared library (Debian 12 then dies in free()).
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
#error \
    "CPPHTTPLIB_OPENSSL_SUPPORT is missing: take the compile flags of cpp-httplib from its .pc file"
#endif
#ifndef CPPHTTPLIB_ZLIB_SUPPORT
#error "CPPHTTPLIB_ZLIB_SUPPORT is missing: take the compile flags of cpp-httplib from its .pc file"
#endif
#ifndef CPPHTTPLIB_BROTLI_SUPPORT
#error \
    "CPPHTTPLIB_BROTLI_SUPPORT is missing: take the compile flags of cpp-httplib from its .pc file"
#endif

#include <httplib.h>
