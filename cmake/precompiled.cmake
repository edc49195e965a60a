# sluice_precompiled(NAME HEADERS <a.hpp>... [OPTIONS options...]) defines a set of headers of others
# that are read once per preset; sluice_use_precompiled(TARGET NAME) lets a target use them, with the
# same options. The sources still include what they need: tools/lint reads them without this.
#
# The result lies outside of the tree, named after everything that shapes it, so that ccache knows an
# object again in another clone. It is safe to delete.
if(DEFINED ENV{SLUICE_CACHE})
  set(SLUICE_PRECOMPILED_ROOT $ENV{SLUICE_CACHE}/precompiled)
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(SLUICE_PRECOMPILED_ROOT $ENV{XDG_CACHE_HOME}/sluice/precompiled)
else()
  set(SLUICE_PRECOMPILED_ROOT $ENV{HOME}/.cache/sluice/precompiled)
endif()

function(sluice_precompiled name)
  cmake_parse_arguments(arg "" "" "HEADERS;OPTIONS" ${ARGN})
  get_directory_property(options COMPILE_OPTIONS)
  get_directory_property(definitions COMPILE_DEFINITIONS)
  string(TOUPPER ${CMAKE_BUILD_TYPE} config)
  separate_arguments(config_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
  list(TRANSFORM definitions PREPEND -D)
  # What the libraries behind these headers ask of everybody who includes them.
  list(APPEND definitions -DFMT_SHARED -DBOOST_JSON_NO_LIB -DBOOST_CONTAINER_NO_LIB
    -DGTEST_HAS_PTHREAD=1)
  set(flags ${definitions} ${config_flags} ${options} ${arg_OPTIONS} -std=c++2b
    -fpch-instantiate-templates -Xclang -fno-pch-timestamp)
  list(TRANSFORM arg_HEADERS REPLACE "(.+)" "#include \\1\n")
  string(JOIN "" text ${arg_HEADERS})
  string(SHA256 key "${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${flags} ${text}")
  string(SUBSTRING ${key} 0 16 key)
  set(folder ${SLUICE_PRECOMPILED_ROOT}/${key})
  # Builds of several trees may make it at the same time; it appears whole.
  string(SHA256 own ${CMAKE_BINARY_DIR})
  string(SUBSTRING ${own} 0 8 own)
  file(CONFIGURE OUTPUT ${folder}/headers.hpp CONTENT "${text}" @ONLY)
  add_custom_command(
    OUTPUT ${folder}/headers.pch
    COMMAND ${CMAKE_CXX_COMPILER} "${flags}" -MD -MT ${folder}/headers.pch
            -MF ${CMAKE_BINARY_DIR}/${name}.d -x c++-header ${folder}/headers.hpp
            -o ${folder}/${own}.tmp
    COMMAND ${CMAKE_COMMAND} -E rename ${folder}/${own}.tmp ${folder}/headers.pch
    DEPENDS ${folder}/headers.hpp
    DEPFILE ${CMAKE_BINARY_DIR}/${name}.d
    COMMENT "Precompiling headers of ${name}"
    COMMAND_EXPAND_LISTS)
  add_custom_target(${name} DEPENDS ${folder}/headers.pch)
  set_target_properties(${name} PROPERTIES SLUICE_PCH ${folder}/headers.pch
    SLUICE_OPTIONS "${arg_OPTIONS}")
endfunction()

function(sluice_use_precompiled target name)
  get_target_property(pch ${name} SLUICE_PCH)
  get_target_property(options ${name} SLUICE_OPTIONS)
  target_compile_options(${target} PRIVATE ${options} -include-pch ${pch})
  add_dependencies(${target} ${name})
endfunction()
