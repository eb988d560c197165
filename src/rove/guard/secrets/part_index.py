"""An index of all parts of secrets, by which they are found in a text in time that grows with the text alone.

Without this list, the secret `summerlogin2024` would remove the word "login" from every page, and an agent that saw it
missing would know a part of the secret.
"""

from __future__ import annotations

import base64
import codecs
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

_WORDS = """
about above accept access account across action active activity actually address admin administrator advanced after
again against agent alert allow almost alone already always amount analytics android another answer anything apple
application apply approve april around article assets attach attempt august author available back background balance
banner basic battery because become before begin behind below benefit better between beyond birthday black blank block
board books bottom branch brand bread break bring browser budget build building business button calendar camera
campaign cancel candidate captcha career carry catalog category center central certificate challenge change channel
character charge chart check checkbox checkout child children chinese choice choose chrome circle class clean clear
click client close cloud coffee college color colour column comment commit common community company compare complete
computer condition confirm connect connection console contact contain content context continue contract control cookie
copyright corner correct count country course cover create created credit current custom customer daily dashboard data
database default delete delivery demo department description design desktop detail details developer development device
dialog different digital direct direction directory disable discount discover display document domain dollar domestic
double download dragon draft drive during early editor education effect email employee empty enable energy engine
english enjoy enough enter entry equal error event every everyone everything example exchange exist expand expect
expire export express external extra facebook factory failed false family favorite feature february federal feedback
field figure file filter final finance financial finish first flight floor flower folder follow football forget forgot
format forum forward frame france french friday friend front function future gallery games garden general german
getting github given global golden google government graph great green group growth guest guide handle happen happy
header health heart height hello hidden history holiday horse hospital hotel house however https human image import
important include income index industry info information input inside install instance instead insurance interest
internal internet invalid invite invoice issue italian items january japan javascript journal junior kitchen knowledge
label language laptop large later latest launch layout leader learn leave legal length letter level library license
light limit limited linkedin links linux local localhost location login logout london long loading lookup lower machine
magic mail main maintain major manage manager manual market marketing master match material maximum medical meeting
member members memory message method microsoft middle might minimum minute mobile model modern modify module moment
monday money monitor month monthly morning mother mountain mouse movie multiple music national native nature network
never newsletter nothing notice notification november number object october offer office official often online option
options orange order organization original other output overview owner package pages paper parent partner party
password passwords payment people percent perfect period permission person personal phone photo picture place plain
plan planet platform player please point police policy popular position possible power preference premium present
preview price princess print privacy private problem process product production professional profile program project
promotion property protect provide public publish purchase quality quantity query question quick rather rating reader
reading ready really reason receive recent record refresh region register registration regular related release remember
remote remove report request require required research reset resource response restaurant result results return review
right river rocket round route russian safety sales sample saturday saved school science screen script scroll search
season second secret secrets section secure security select selected seller send senior september series server service
session setting settings setup seven shadow shape share sheet shipping shop shopping short should signin signup silver
simple since single sister small smart social software solution something source space spanish special sport spring
staff standard start state station status still stock stop storage store story strategy street strong student studio
style subject submit subscribe subscription success suggest summary summer sunday sunshine support system table target
technical technology template terms test testing thank that theme there these thing think third those though thought
three through thursday ticket title today together token topic total touch tower track trade trading traffic training
transaction transfer travel trial trust tuesday twitter type under understand union united university unknown until
update upgrade upload upper user username users using usually valid value vehicle vendor verify version video view
visible visit voice volume wallet warning water website wednesday week weekly weight welcome western whatever where
which while white whole widget width window windows winter without woman wonder word words work worker world would
write writing wrong year yellow yesterday young youtube
qwerty qwertz asdfgh zxcvbn 1234567890 0987654321 abcdefgh iloveyou monkey pokemon superman batman starwars
"""
# One text, so that one search says whether a word or a piece of one is in it.
_ALL = " ".join(_WORDS.split())

# A longer part of several words is a passphrase, not a chance.
MAX_WORDS_LENGTH = 9

# The shortest part of a secret that is found.
MIN_PART = 5


def is_ordinary(text: str) -> bool:
    """Whether a lower-case text is a piece of a common word, the end of one and the start of the next, or repeated."""
    if len(set(text)) == 1 or not text.strip():
        return True
    first, *others = text.split()
    return first in _ALL and (not others or (len(text) <= MAX_WORDS_LENGTH and all(word in _ALL for word in others)))


class Form(NamedTuple):
    """A way to write a secret: the text, and the name of the secret."""

    text: bytes
    name: str


class Run(NamedTuple):
    """A part of a secret in a text: its span there, and the form that it belongs to."""

    start: int
    end: int
    form: Form

    @property
    def size(self) -> int:
        return self.end - self.start

    @property
    def is_whole(self) -> bool:
        return self.size == len(self.form.text)


class WholeIndex:
    """Finds several forms as a whole."""

    def __init__(self, forms: Iterable[Form]) -> None:
        self._forms = [*dict.fromkeys(forms)]
        self._search = BytesAhoCorasick([form.text for form in self._forms], implementation=Implementation.DFA)

    def runs(self, text: bytes) -> Iterator[Run]:
        """Yield each form in a text."""
        for number, start, end in self._search.find_matches_as_indexes(text, overlapping=True):
            yield Run(start, end, self._forms[number])


class PartIndex:
    """Finds parts of at least five characters of any of several forms."""

    def __init__(self, forms: Iterable[Form]) -> None:
        places: dict[bytes, list[tuple[Form, int]]] = defaultdict(list)
        for form in dict.fromkeys(forms):
            for offset in range(len(form.text) - MIN_PART + 1):
                places[form.text[offset : offset + MIN_PART]].append((form, offset))
        self._places = [*places.values()]
        self._search = BytesAhoCorasick([*places], implementation=Implementation.DFA)

    def __bool__(self) -> bool:
        return bool(self._places)

    def runs(self, text: bytes) -> Iterator[Run]:
        """Yield the parts in a text, each as long as it agrees with its form."""
        done = 0
        for number, at, _ in self._search.find_matches_as_indexes(text, overlapping=True):
            if at < done:
                continue
            run = max((_extended(text, at, *place) for place in self._places[number]), key=lambda run: run.size)
            if run.is_whole or not is_ordinary(text[run.start : run.end].decode("latin-1")):
                done = run.end
                yield run


def _extended(text: bytes, at: int, form: Form, offset: int) -> Run:
    """Return the longest part around a position of the text that agrees with the form."""
    start, end = at, at + MIN_PART
    while start > 0 and start - at + offset > 0 and text[start - 1] == form.text[start - 1 - at + offset]:
        start -= 1
    while end < len(text) and end - at + offset < len(form.text) and text[end] == form.text[end - at + offset]:
        end += 1
    return Run(start, end, form)


def turned(letters: bytes) -> Iterator[bytes]:
    """Yield letters forwards, backwards, and by ROT13."""
    yield letters
    yield letters[::-1]
    yield codecs.encode(letters.decode("latin-1"), "rot13").encode("latin-1")


def encodings_of(value: bytes, name: str) -> Iterator[Form]:
    """Yield the base64 and base32 characters that encode a value at each possible offset.

    Characters at the edges are left out, because they also depend on the neighbouring bytes.
    """
    for offset in range(3):
        inner = _inner(base64.b64encode(b"\0" * offset + value), offset, len(value), 6)
        yield Form(inner, name)
        yield Form(inner.replace(b"+", b"-").replace(b"/", b"_"), name)
    for offset in range(5):
        inner = _inner(base64.b32encode(b"\0" * offset + value), offset, len(value), 5)
        yield Form(inner, name)
        yield Form(inner.lower(), name)


def _inner(encoded: bytes, offset: int, length: int, bits: int) -> bytes:
    return encoded[-(-offset * 8 // bits) : (offset + length) * 8 // bits]
