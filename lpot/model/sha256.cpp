#include "lpot/model/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "lpot/core/error.h"

namespace lpot {
namespace {

void check(int status) {
  if (status != 1) throw Error("sha256", "OpenSSL cannot compute SHA-256; check the OpenSSL installation");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  check(context_ ? 1 : 0);
  check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

Sha256& Sha256::add(std::string_view bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
  return *this;
}

std::string Sha256::hex() const {
  // EVP_DigestFinal_ex ends the context, so it works on a copy.
  const Sha256 copy;
  check(EVP_MD_CTX_copy_ex(copy.context_.get(), context_.get()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  check(EVP_DigestFinal_ex(copy.context_.get(), digest.data(), &size));
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace lpot
