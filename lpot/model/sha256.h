// SHA-256. Use it where a forged file must not be mistaken for another one; Fingerprint (core/file.h) can be forged.
//
//   const std::string digest = Sha256().add(header).add(body).hex();
//
#pragma once
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // EVP_MD_CTX of OpenSSL

namespace lpot {

class Sha256 {
 public:
  Sha256();  // throws Error if OpenSSL provides no SHA-256

  Sha256& add(std::string_view bytes);
  std::string hex() const;  // of all bytes so far, 64 digits

 private:
  struct Free {
    void operator()(evp_md_ctx_st*) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace lpot
