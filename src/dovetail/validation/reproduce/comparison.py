"""One published value beside ours, in the words that the page of all papers understands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """What is compared, both values as texts, whether they agree, and why or how."""

    what: str
    published: str
    ours: str
    agrees: bool
    why: str = ""

    @property
    def line(self) -> str:
        """'agrees: what: published P, ours O (why)'"""
        verdict = "agrees" if self.agrees else "differs"
        text = f"{verdict}: {self.what}: published {self.published}, ours {self.ours}"
        return text + (f" ({self.why})" if self.why else "")
