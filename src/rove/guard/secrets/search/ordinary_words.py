"""Common words of web pages. A part of a secret that is only such a word is not redacted.

Without this list, the secret `summerlogin2024` would remove the word "login" from every page, and an agent that saw it
missing would know a part of the secret.
"""

from __future__ import annotations

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


def is_ordinary(text: str) -> bool:
    """Whether a lower-case text is a piece of a common word, the end of one and the start of the next, or repeated."""
    if len(set(text)) == 1 or not text.strip():
        return True
    first, *others = text.split()
    return first in _ALL and (not others or (len(text) <= MAX_WORDS_LENGTH and all(word in _ALL for word in others)))
