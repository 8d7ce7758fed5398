// Linked into tests: what they measure and read is not for the user's cache.
#include <cstdlib>

namespace {
[[maybe_unused]] const int kOff = ::setenv("LPOT_FORM_MEMORY", "off", 1) + ::setenv("LPOT_MODEL_MEMORY", "off", 1);
}
