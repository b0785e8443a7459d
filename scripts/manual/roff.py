"""Text and Markdown as man(7)."""
import re
import textwrap

LINE_COLUMNS = 78
SPECIAL = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq"}
PLACE = "\x01"  # a space that is not a place to break a line at


def escape(text):
    """Any text, so that it is printed as it stands."""
    return "".join(SPECIAL.get(char) or (char if ord(char) < 128 else f"\\[u{ord(char):04X}]")
                   for char in text)


def inline(text):
    """One paragraph of Markdown: code and strong words become bold, links their text."""
    text = re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r"\1", text)
    out = []
    for piece in re.split(r"(`[^`]+`|\*\*[^*]+\*\*)", text):
        if len(piece) > 2 and piece[0] == "`":
            out.append(f"\\fB{escape(piece[1:-1]).replace(' ', PLACE)}\\fR")
        elif len(piece) > 4 and piece.startswith("**"):
            out.append(f"\\fB{escape(piece[2:-2])}\\fR")
        else:
            out.append(escape(piece))
    return "".join(out)


def fill(text):
    """Escaped text as lines of an input file; none begins with a control character."""
    lines = textwrap.wrap(text, LINE_COLUMNS, break_long_words=False, break_on_hyphens=False)
    lines = [("\\&" if line[0] in ".'" else "") + line.replace(PLACE, " ") for line in lines]
    return "\n".join(line.rstrip() for line in lines)


def plain(text):
    """Text of --help: paragraphs; those that are set in, or laid out in columns, stay as they are."""
    out = []
    for piece in re.split(r"\n\s*\n", text.strip("\n")):
        lines = piece.split("\n")
        if any(line.startswith("  ") or re.match(r"\S+ {2,}\S", line) for line in lines):
            out.append(literal([line.rstrip() for line in lines]))
        elif piece.strip():
            out.append(".PP\n" + fill(escape(" ".join(line.strip() for line in lines))))
    return "\n".join(out)


def literal(lines):
    return ".PP\n.in +4n\n.EX\n" + "\n".join(
        ("\\&" if line[:1] in (".", "'") else "") + escape(line) for line in lines) + "\n.EE\n.in"


def table(rows):
    """A table of Markdown as a list: the first cell names, the others tell."""
    out = []
    for row in rows:
        cells = [inline(cell) for cell in row]
        told = "; ".join(cell for cell in cells[1:] if cell)
        out.append(f".TP\n{fill(cells[0]) or chr(92) + '&'}\n{fill(told) or chr(92) + '&'}")
    return "\n".join(out)


def cells_of(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def block(lines):
    """One block of Markdown without an empty line in it."""
    if lines[0].startswith("|"):
        rows = [cells_of(line) for line in lines]
        return table(rows[2:]) if len(rows) > 2 else ""
    if lines[0].startswith("    "):
        return literal([line[4:] for line in lines])
    if lines[0].startswith("#"):
        return ".SS " + inline(lines[0].lstrip("# "))
    out, item = [], []
    for line in lines + [None]:
        begins = line is None or re.match(r"(- |\d+\. )", line)
        if begins and item:
            match = re.match(r"(- |\d+\. )?(.*)", " ".join(item), re.DOTALL)
            tag = {None: ".PP", "- ": ".IP \\(bu 2"}.get(match[1], f".IP {(match[1] or '').strip()} 4")
            out.append(f"{tag}\n{fill(inline(match[2]))}")
            item = []
        if line is not None:
            item.append(line.strip())
    return "\n".join(out)


def markdown(text):
    """A piece of a page of docs/."""
    out, lines = [], []

    def end():
        if lines:
            out.append(block(lines))
        lines.clear()

    pieces = re.split(r"^```[^\n]*\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    for place, piece in enumerate(pieces):
        if place % 2 == 1:
            out.append(literal(piece.rstrip("\n").split("\n")))
            continue
        for line in piece.split("\n"):
            is_code = bool(lines) and lines[0].startswith("    ")
            begins = line.startswith("#") or bool(lines) and lines[0].startswith("#")
            if not line.strip() or begins or lines and is_code != line.startswith("    "):
                end()
            if line.strip():
                lines.append(line)
        end()
    return "\n".join(piece for piece in out if piece)
