# A text file as a constant of a source file: cmake -DINPUT=... -DNAME=kName -DOUTPUT=... -P embed_file.cmake
file(READ ${INPUT} CONTENT)
file(WRITE ${OUTPUT} "// Made by cmake/embed_file.cmake.
#include <string_view>

namespace lpot {
extern const std::string_view ${NAME};
const std::string_view ${NAME} = R\"lpot(${CONTENT})lpot\";
}  // namespace lpot
")
