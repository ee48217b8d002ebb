# Fails the build when a folder includes something above it (the rules stand in check_layers.cmake).
add_custom_target(check_layers ALL
  COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" -P "${PROJECT_SOURCE_DIR}/cmake/check_layers.cmake"
  COMMENT "Checking that includes only point downwards" VERBATIM)
