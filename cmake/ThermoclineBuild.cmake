# Compiler settings shared by every target, and the function that declares a folder's library.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_package(Threads REQUIRED)

add_library(thermocline_settings INTERFACE)
if(MSVC)
  target_compile_options(thermocline_settings INTERFACE /W4 /utf-8 /permissive- /fp:precise)
  target_compile_definitions(thermocline_settings INTERFACE NOMINMAX WIN32_LEAN_AND_MEAN _CRT_SECURE_NO_WARNINGS)
  if(THERMOCLINE_WERROR)
    target_compile_options(thermocline_settings INTERFACE /WX)
  endif()
else()
  # Contraction is off so that a sum has the same bits whichever compiler built it.
  target_compile_options(thermocline_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -ffp-contract=off)
  if(THERMOCLINE_WERROR)
    target_compile_options(thermocline_settings INTERFACE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 reports these falsely inside libstdc++ when it optimises.
    target_compile_options(thermocline_settings INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds
                           -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()
if(MINGW)
  target_compile_definitions(thermocline_settings INTERFACE NOMINMAX WIN32_LEAN_AND_MEAN UNICODE _UNICODE
                             _WIN32_WINNT=0x0A00)
endif()
if(THERMOCLINE_SANITIZE)
  target_compile_options(thermocline_settings INTERFACE -fsanitize=${THERMOCLINE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(thermocline_settings INTERFACE -fsanitize=${THERMOCLINE_SANITIZE})
endif()

# thermocline_library(NAME SOURCES... [DEPENDS libs...]): one static library for one folder.
function(thermocline_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/engine"
                                            "${PROJECT_SOURCE_DIR}/engine/include")
  target_link_libraries(${name} PUBLIC thermocline_settings ${arg_DEPENDS})
endfunction()
