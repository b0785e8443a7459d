# cmake -DOUT=FILE.c -DFOLDER=DIR -DNAMES=a,b -P embed_presets.cmake — makes a C file that holds the pages
# FOLDER/NAME.yaml as bytes, for traces/presets.c.  A page becomes an array of numbers: string literals have a
# length beyond which a compiler need not take them.
set(source "/* Made from the pages in traces/data/clusters by traces/embed_presets.cmake. */\n")
string(APPEND source "#include \"traces/presets_data.h\"\n\n")
set(table "")
set(index 0)
string(REPLACE "," ";" names "${NAMES}")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.yaml" page HEX)
  # Sixteen bytes a line.
  string(REPEAT "[0-9a-f]" 32 line)
  string(REGEX REPLACE "(${line})" "\\1\n" page "${page}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," page "${page}")
  string(APPEND source "static const char page_${index}[] = {\n${page}0x00 };\n\n")
  string(APPEND table "  { \"${name}\", page_${index}, sizeof page_${index} - 1 },\n")
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND source "const LkPreset lk_preset_table[] = {\n${table}};\n")
string(APPEND source "const guint lk_preset_table_count = ${index};\n")
file(WRITE "${OUT}" "${source}")
