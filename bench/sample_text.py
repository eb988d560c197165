"""Words for the pages: enough real English that counting tokens means something."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """A part of the article; paragraphs are HTML."""

    anchor: str
    title: str
    paragraphs: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What a snapshot should hold of it: the heading, every link, and how every paragraph begins."""
        links = (link for paragraph in self.paragraphs for link in re.findall(r"<a [^>]*>([^<]*)</a>", paragraph))
        openings = (paragraph.partition("<")[0][:30].strip() for paragraph in self.paragraphs)
        return (self.title, *links, *openings)


HEADLINES = (
    "Show: A spreadsheet that runs on a calculator from 1984",
    "Why our database stopped lying about time",
    "The quiet death of the loading spinner",
    "Ask: How do you keep a side project alive for ten years?",
    "A field guide to undocumented assembler directives",
    "Measuring the heat of a single web request",
    "Building a sailboat autopilot from bicycle parts",
    "The librarian who indexed the early internet by hand",
    "What compilers can learn from sheet music",
    "I rewrote my parser and it got slower; here is what I learned",
    "Tiny fonts for tiny displays",
    "The map projections nobody asked for",
    "How we cut our build from forty minutes to ninety seconds",
    "A new proof of an old theorem about paper folding",
    "Bees, buffers and backpressure",
    "The case for boring keyboards",
    "Reverse engineering the ticket machine at my station",
    "Notes on running a bookshop with a hundred lines of code",
    "When the garbage collector is the feature",
    "Floating point without fear",
    "Launch: Weather for people who work on roofs",
    "The strange history of the percent sign",
    "Six ways to be wrong about caching",
    "An operating system that fits in a QR code",
    "Letters from a lighthouse keeper's debugger",
)

ARTICLE = (
    Section(
        "fire",
        "Fire on a hill",
        (
            "Before there were towers there were fires. A village that lived by the sea kept a basket of "
            "coals on the headland, and whoever was left behind fed it until the boats were home. It said"
            " one thing only: <em>land is here</em>. It could not say which land, and many crews died of "
            "that, steering with confidence towards the wrong fire.",
            'The oldest tower that we can still climb, the <a href="/towers/hercules">Tower of '
            "Hercules</a>, was built by people who knew this. Its ramp was wide enough for an ox to carry"
            " wood to the top. Yet its fire was still a fire, and on a bad night it was a red smear that "
            "could be anything.",
            "Oil changed the colour, and glass changed the reach. Neither changed the sentence. For "
            "seventeen hundred years a light could only be brighter or darker, nearer or further, and the"
            " sailor had to guess the rest.",
        ),
    ),
    Section(
        "lens",
        "The lens that bent an industry",
        (
            'In 1822 <a href="/people/fresnel">Augustin Fresnel</a> showed a commission in Paris a ring '
            "of prisms options a single wick. Where a mirror threw away four fifths of the light, his lens"
            " kept four fifths of it. The commission had paid for a brighter lamp; what they got was a "
            "lamp that could be aimed.",
            'An aimed beam can turn. Mount the lens on rollers, later on <a href="/machines/mercury">a '
            "bath of mercury</a>, and let a falling weight drive it round: to a ship at sea the steady "
            "light becomes a flash. Two panels make two flashes. Now a tower had a rhythm, and a rhythm "
            "is a name.",
            "Keepers hated the mercury and loved the clockwork. Every few hours somebody had to wind the "
            "weight back to the top, and the log books are full of small confessions: <q>slept, eleven "
            "minutes dark, no ships</q>.",
        ),
    ),
    Section(
        "names",
        "Names made of time",
        (
            "Once every tower had a rhythm, someone had to keep a list. The <a "
            'href="/books/list-of-lights">List of Lights</a> is among the most boring books ever printed,'
            " and one of the most loved. Each line gives a place, a height, a colour, and a short code "
            "such as <code>Fl(3) 15s</code>: three flashes, every fifteen seconds.",
            "The code is a compression scheme. It had to be short enough to print beside a dot on a "
            "chart, plain enough to be read aloud in a storm, and distinct from every neighbour within "
            "sight. Nobody proved it optimal. They simply moved the lights that were confused with one "
            "another, for a hundred years, until none were.",
            "That is the part I find hard to stop thinking about. The system has no version number and no"
            " owner. It was debugged by shipwreck.",
        ),
    ),
    Section(
        "keepers",
        "The people inside",
        (
            'A lit tower needed <a href="/people/keepers">three keepers</a>, since with two, if one died,'
            " the other might be accused of it. The rule followed a true case on <a "
            'href="/towers/smalls">the Smalls</a>, where in 1801 a man lashed his dead companion to the '
            "railing rather than lose the proof that he had not killed him. Passing ships saw a figure at"
            " the rail, waving a little in the wind, and reported that all was well.",
            "Their orders were printed and very long. Trim the wick every four hours. Clean the glass "
            "with spirit of wine and never with water. Draw the curtains by day, for a lens that can "
            "throw light twenty miles can also gather it, and more than one tower has been set on fire by"
            " the sun.",
            "They wrote everything down: weather, oil, visitors, birds. The birds turned out to matter. "
            'Half of what was first known about <a href="/birds/migration">migration at night</a> came '
            "from keepers who counted what struck the glass, because there was a column for it and "
            "nothing else to do before dawn.",
        ),
    ),
    Section(
        "machines",
        "Taught to look after themselves",
        (
            'In 1907 <a href="/people/dalen">Gustaf Dalén</a> built a valve with two rods in it, one '
            "black and one polished. In daylight the black one grew warm and a hair longer, and shut the "
            "gas. At dusk it shrank, and the lamp was lit from a flame the size of a match head. It had "
            "no electricity, no clock and no keeper, and some of these valves ran for fifty years.",
            "It is the first machine I know of that decided, by itself and every day, whether it was "
            "needed. It saved nine tenths of the gas. It also ended a profession, slowly and then all at "
            'once; the <a href="/towers/last">last keeper</a> of the last manned tower in that country '
            "left in a helicopter with two suitcases and a cat.",
            "What the valve could not do was notice. A keeper who saw a trawler standing into danger "
            "would fire a gun or row out. The automatic light did what it was asked, perfectly, while "
            "boats went ashore beneath it. We have been building that light again, in different "
            "materials, ever since.",
        ),
    ),
    Section(
        "radio",
        "The voice without a light",
        (
            'Fog defeats any lamp. Towers answered with <a href="/sound/bells">bells</a>, guns, sirens '
            'and the enormous <a href="/sound/diaphone">diaphone</a>, whose grunt could be felt in the '
            "ribs five miles out. Sound, though, bends over cold water and arrives from where it did not "
            "start.",
            "Radio beacons came in the 1920s and brought back the old problem in a new form: every "
            "station said only <em>I am here</em>, and a receiver had to be turned by hand to learn where"
            " <em>here</em> was. So they were given rhythms too. The letters were Morse, but the idea was"
            " Fresnel's clockwork.",
            'Today a buoy of plastic and solar cells tells <a href="/systems/ais">every ship in range</a>'
            " its name, its place and whether its own lamp is broken. It says more in a second than the "
            "tower of Hercules said in a century. The towers are still lit. A sailor whose screens have "
            "all gone dark can count to fifteen, and know.",
        ),
    ),
)
