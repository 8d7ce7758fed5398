# cmake --install: the program, the static libraries, the public headers, and the package that find_package(lpot) finds.
include(CMakePackageConfigHelpers)

# Users link lpot::lpot. The target has another name here, because the program is the target lpot.
add_library(lpot_api INTERFACE)
set_target_properties(lpot_api PROPERTIES EXPORT_NAME lpot)
target_link_libraries(lpot_api INTERFACE lpot_tune)
add_library(lpot::lpot ALIAS lpot_api)

get_property(LAYERS GLOBAL PROPERTY LPOT_LAYERS)
foreach(LAYER ${LAYERS})
  set_target_properties(lpot_${LAYER} PROPERTIES EXPORT_NAME ${LAYER})
  install(TARGETS lpot_${LAYER} EXPORT lpotTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(TARGETS lpot_api EXPORT lpotTargets)
# The libraries of OpenVINO stay where they are.
set_target_properties(lpot PROPERTIES INSTALL_RPATH $<TARGET_FILE_DIR:openvino::runtime>)
install(TARGETS lpot RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
include(${CMAKE_SOURCE_DIR}/cmake/completion.cmake)
lpot_install_completion("\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}")
# lpot/lpot.h lists the public headers.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lpot/lpot.h)
file(STRINGS ${CMAKE_SOURCE_DIR}/lpot/lpot.h PUBLIC_HEADERS REGEX "^#include \"lpot/")
foreach(LINE "#include \"lpot/lpot.h\"" ${PUBLIC_HEADERS})
  string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" HEADER ${LINE})
  cmake_path(GET HEADER PARENT_PATH FOLDER)
  install(FILES ${CMAKE_SOURCE_DIR}/${HEADER} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${FOLDER})
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lpot)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/lpotConfig.cmake.in ${CMAKE_BINARY_DIR}/lpotConfig.cmake INSTALL_DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lpotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/lpotConfig.cmake ${CMAKE_BINARY_DIR}/lpotConfigVersion.cmake DESTINATION ${PACKAGE_DIR})
install(EXPORT lpotTargets NAMESPACE lpot:: DESTINATION ${PACKAGE_DIR})
