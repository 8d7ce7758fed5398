// Linked into tests that quantize: what they measure is not for the user's cache.
#include <cstdlib>

namespace {
[[maybe_unused]] const int kOff = ::setenv("LPOT_FORM_MEMORY", "off", 1);
}
