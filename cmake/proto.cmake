# sluice_messages(TARGET NAMES... LINK libs...) makes a static library of the messages in
# proto/<name>.proto, for protobuf's lite runtime: no reflection, no descriptors in memory.
find_program(SLUICE_PROTOC protoc REQUIRED)

function(sluice_messages target)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  set(folder ${CMAKE_BINARY_DIR}/proto/lite)
  file(MAKE_DIRECTORY ${folder})
  foreach(name IN LISTS arg_UNPARSED_ARGUMENTS)
    set(source ${CMAKE_SOURCE_DIR}/proto/${name}.proto)
    add_custom_command(
      OUTPUT ${folder}/${name}.pb.cc ${folder}/${name}.pb.h
      COMMAND ${SLUICE_PROTOC} -I ${CMAKE_SOURCE_DIR}/proto --cpp_out=lite:${folder} ${source}
      DEPENDS ${source}
      COMMENT "Generating ${name}.pb.cc"
      VERBATIM)
    list(APPEND sources ${folder}/${name}.pb.cc)
  endforeach()
  add_library(${target} STATIC ${sources})
  # What others generate is held to their warnings, not to ours.
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC ${folder})
  target_link_libraries(${target} PUBLIC ${arg_LINK})
endfunction()
