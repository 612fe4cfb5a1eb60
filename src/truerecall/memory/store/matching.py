"""How a term is asked for in the text indexes."""

from truerecall.memory.analysis import segment


def match_query(term: str) -> tuple[str, str]:
    """The index of a term and its legal MATCH expression: always quoted, so that no text is ever syntax."""
    bare = term.removesuffix("*")
    table = "bigram" if segment(bare) else "lexical"
    return table, f'"{bare}"' + ("*" if term != bare else "")
