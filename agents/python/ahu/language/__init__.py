"""Games for language models: questions and answers as texts.

`Table` asks the models of a State, or of a seat of a server; `LanguageAgent` is a player for any function from messages to a
text. `Style` fixes how models are asked. The module needs no other package.
"""

from ahu._public import public
from ahu.language.agent import Complete, LanguageAgent, Message
from ahu.language.dialog import Verdict
from ahu.language.reply import parse
from ahu.language.style import Style
from ahu.language.table import Table
from ahu.language.usage import Completion, Prices, Usage

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
