"""Games for language models: questions and answers as texts.

`Table` asks the models of a State, or of a seat of a server; `LanguageAgent` is a player for any function from messages to a
text. `Style` fixes how models are asked. The module needs no other package.
"""

from ahu._public import public
from ahu.language._agent import Complete, LanguageAgent, Message
from ahu.language._dialog import Verdict
from ahu.language._reply import parse
from ahu.language._style import Style
from ahu.language._table import Table
from ahu.language._usage import Completion, Prices, Usage

__all__ = [
    "Complete",
    "Completion",
    "LanguageAgent",
    "Message",
    "Prices",
    "Style",
    "Table",
    "Usage",
    "Verdict",
    "parse",
]

public(Completion, LanguageAgent, Prices, Style, Table, Usage, Verdict, parse, module=__name__)
