// Linked into tests, so that they do not use the user's cache.
#include <cstdlib>

namespace {
[[maybe_unused]] const int kOff = ::setenv("LPOT_FORM_MEMORY", "off", 1) + ::setenv("LPOT_MODEL_MEMORY", "off", 1);
}
