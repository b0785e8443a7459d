# cmake -DOUT=FILE.c -DFOLDER=DIR -P embed_page.cmake — makes a C file with page.css and page.js as bytes, for
# page_html.c.  Arrays of numbers: string literals have a length beyond which a compiler need not take them.
set(source "/* Made from page.css and page.js by sim/page/embed_page.cmake. */\n")
string(APPEND source "#include \"sim/page/page_html.h\"\n")
foreach(kind css js)
  file(READ "${FOLDER}/page.${kind}" page HEX)
  string(REPEAT "[0-9a-f]" 32 line)
  string(REGEX REPLACE "(${line})" "\\1\n" page "${page}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," page "${page}")
  string(APPEND source "\nconst char lk_page_${kind}[] = {\n${page}0x00 };\n")
endforeach()
file(WRITE "${OUT}" "${source}")
