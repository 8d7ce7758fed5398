# The files of a page as constants of a source file: cmake -DFOLDER=... -DOUTPUT=... -P embed.cmake
set(TEXT "// Made by cmake/embed.cmake.\n#include <string_view>\n\nnamespace lpot {\n")
foreach(NAME Html Css Js)
  string(TOLOWER ${NAME} EXTENSION)
  file(READ ${FOLDER}/page.${EXTENSION} CONTENT)
  string(APPEND TEXT "extern const std::string_view kPage${NAME};\nconst std::string_view kPage${NAME} = R\"lpot(${CONTENT})lpot\";\n")
endforeach()
string(APPEND TEXT "}  // namespace lpot\n")
file(WRITE ${OUTPUT} "${TEXT}")
