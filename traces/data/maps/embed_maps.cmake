# cmake -DOUT=FILE.c -DFOLDER=DIR -DNAMES=a,b -P embed_maps.cmake — makes a C file that holds the pages
# FOLDER/NAME.yaml as bytes, for traces/csv_map.c.  A page becomes an array of numbers: string literals have a
# length beyond which a compiler need not take them.
string(REPLACE "," ";" names "${NAMES}")
string(REPEAT "0x..," 16 line)
set(pages "")
set(table "")
set(index 0)
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.yaml" page HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${page}")
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(APPEND pages "static const char page_${index}[] = {\n${bytes}0x00 };\n\n")
  string(APPEND table "  { \"${name}\", page_${index}, sizeof page_${index} - 1 },\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUT}" "/* Made from the pages in traces/data/maps by embed_maps.cmake. */\n"
  "#include \"traces/csv_map_data.h\"\n\n${pages}const LkCsvPage lk_csv_pages[] = {\n${table}};\n"
  "const guint lk_csv_page_count = ${index};\n")
