"""Tricks that put words before a model which a person does not see: each is left out or marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

MARK = re.compile(r"\((?:invisible|aria|title|inert|screen-reader|not rendered)")
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="

STYLES = [
    "display:none",
    "visibility:hidden",
    "opacity:0",
    "opacity:0.01",
    "font-size:0",
    "font-size:1px",
    "color:#fff",
    "color:transparent",
    "color:rgba(0,0,0,0.01)",
    "color:white;background:white",
    "color:#fefefe",
    "position:absolute;left:-9999px",
    "position:absolute;top:-9999px",
    "position:fixed;left:-5000px",
    "position:fixed;top:200vh",
    "text-indent:-9999px",
    "text-indent:-9999px;overflow:hidden",
    "height:0;overflow:hidden",
    "width:0;overflow:hidden;white-space:nowrap",
    "max-height:0;overflow:hidden",
    "clip-path:inset(100%)",
    "clip-path:inset(50%)",
    "clip-path:circle(0)",
    "clip-path:polygon(0 0,0 0,0 0)",
    "position:absolute;clip:rect(0,0,0,0)",
    "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0);white-space:nowrap",
    "transform:scale(0)",
    "transform:scale(0.001)",
    "transform:translateX(-9999px)",
    "transform:rotateX(90deg)",
    "transform:rotateY(180deg);backface-visibility:hidden",
    "filter:opacity(0)",
    "filter:blur(30px)",
    "mask-image:linear-gradient(transparent,transparent)",
    "content-visibility:hidden",
    "zoom:0.01",
    "margin-left:-9999px",
    "margin-top:-9999px;position:absolute",
    "-webkit-text-fill-color:transparent",
    "-webkit-text-security:disc",
    "letter-spacing:-99px",
    "line-height:0;height:0;overflow:hidden",
    "position:relative;left:-9999px",
    "overflow:hidden;height:10px;padding-top:50px;box-sizing:content-box;width:30px;white-space:nowrap;text-indent:40px",
    "translate:-9999px 0",
    "scale:0",
    "rotate:x 90deg",
    "color:oklch(1 0 0)",
    "color:color(srgb 1 1 1)",
    "font-size:0.1px",
    "writing-mode:vertical-rl;position:absolute;left:-999px",
    "visibility:collapse",
    "float:left;margin-left:-2000px",
    "color:hsl(0 0% 100%)",
    "opacity:0.02;color:red",
    "clip-path:rect(0 0 0 0)",
    "position:absolute;inset:0;width:0;height:0;overflow:hidden",
    "mix-blend-mode:normal;color:#ffffff01",
    "clip-path:inset(0 0 100% 0)",
    "mask:linear-gradient(#0000,#0000)",
    "clip-path:inset(0 100% 0 0)",
    "transform:translateY(-200vh)",
    'offset-path:path("M -9999 -9999 L -9998 -9998")',
    "transform:matrix(0,0,0,0,0,0)",
    "position:absolute;left:0;top:0;width:100px;height:100px;overflow:hidden;transform:translateX(-101px)",
    "overflow:auto;height:0",
    "column-width:1px;height:1px;overflow:hidden",
]

TRICKS = [
    '<div hidden>{c}</div>',
    '<template>{c}</template>',
    '<!-- {c} -->',
    '<noscript>{c}</noscript>',
    '<input type=hidden value={c}>',
    '<canvas>{c}</canvas>',
    '<details><summary>s</summary>{c}</details>',
    '<dialog>{c}</dialog>',
    '<div popover>{c}</div>',
    '<video>{c}</video>',
    '<iframe style="width:0;height:0" srcdoc="{c}"></iframe>',
    '<img src="{pixel}" width=1 height=1 alt="{c}">',
    '<button aria-label="{c}">x</button>',
    '<nav aria-label="{c}"><a href=#>x</a></nav>',
    '<button aria-labelledby=hh{n}>x</button><span id=hh{n} hidden>{c}</span>',
    '<button aria-description="{c}">x</button>',
    '<button aria-describedby=hd{n}>x</button><span id=hd{n} hidden>{c}</span>',
    '<div style="position:relative;width:200px;height:30px">{c}<div style="position:absolute;inset:0;background:#fff"></div></div>',
    '<div style="position:relative;width:200px;height:30px">{c}<img style="position:absolute;left:0;top:0;width:200px;height:30px" src="{pixel}"></div>',
    '<div style="background:#fff;position:relative;z-index:0"><div style="background:#fff"><span style="position:relative;z-index:-1">{c}</span></div></div>',
    '<div style="display:grid;width:200px"><p style="grid-area:1/1">{c}</p><div style="grid-area:1/1;background:#fff"></div></div>',
    '<p>{c}</p><div style="margin-top:-60px;height:60px;background:white;position:relative"></div>',
    '<div style="opacity:0"><p>vis <b>{c}</b></p></div>',
    '<button>Save<span style="opacity:0">{c}</span></button>',
    '<a href=#><span style="font-size:0">{c}</span>go</a>',
    '<h2>Title <small style="color:#fff">{c}</small></h2>',
    '<style>.ps{n}::after{content:"{c}";color:#fff}</style><p class=ps{n}>x</p>',
    '<style>.pt{n}::before{content:"{c}";opacity:0}</style><p class=pt{n}>x</p>',
    '<style>.pu{n}::before{content:"{c}";position:absolute;left:-9999px}</style><p class=pu{n}>x</p>',
    '<style>.pv{n}::before{content:"{c}";font-size:0}</style><button class=pv{n}>x</button>',
    '<input value="{c}" style="opacity:0">',
    '<input value="{c}" style="color:#fff">',
    '<textarea style="color:transparent">{c}</textarea>',
    '<input placeholder="{c}" style="position:absolute;left:-9999px">',
    '<select style="opacity:0"><option>{c}</select>',
    '<svg width=100 height=20><text y=15 fill=none>{c}</text></svg>',
    '<svg width=100 height=20><text y=15 fill=white>{c}</text></svg>',
    '<svg width=100 height=20><text y=15 fill-opacity=0>{c}</text></svg>',
    '<svg width=100 height=20><text y=15 font-size=0.5>{c}</text></svg>',
    '<svg width=100 height=20><text y=-900>{c}</text></svg>',
    '<svg width=100 height=20><text y=15 opacity=0>{c}</text></svg>',
    '<svg width=0 height=0><text y=15>{c}</text></svg>',
    '<svg width=20 height=20><title>{c}</title><rect width=20 height=20 /></svg>',
    '<svg width=20 height=20><desc>{c}</desc><rect width=20 height=20 /></svg>',
    '<table summary="{c}"><tr><td>1<td>2</table>',
    '<span aria-roledescription="{c}" role=button>b</span>',
    '<div role=slider aria-valuetext="{c}" tabindex=0>s</div>',
    '<input aria-placeholder="{c}">',
    '<div style="height:20px;overflow:hidden"><div style="height:20px">ok</div><div>{c}</div></div>',
    '<div style="width:50px;overflow:hidden;white-space:nowrap"><span style="margin-left:60px">{c}</span></div>',
    '<marquee style="width:0">{c}</marquee>',
    '<span style="display:inline-block;width:0;height:0;overflow:hidden">{c}</span>',
    '<p style="color:#000;background:#000">{c}</p>',
    '<div style="background:#123"><p style="color:#123">{c}</p></div>',
    '<p style="background:linear-gradient(#fff,#fff);color:#fff">{c}</p>',
    '<font color=white>{c}</font>',
    '<font size=1 style="font-size:.1pt">{c}</font>',
    '<meter value=.5>{c}</meter>',
    '<progress>{c}</progress>',
    '<ruby>x<rp>{c}</rp><rt>y</rt></ruby>',
    '<style>@keyframes k{n}{to{opacity:0}}</style><p style="animation:k{n} 0s forwards">{c}</p>',
    '<style>#tr{n} tr:nth-child(2) td{color:#fff}</style><table id=tr{n}><tr><td>a<tr><td>{c}<tr><td>c</table>',
    '<style>[data-q="{n}"]{opacity:0}</style><p data-q=1>a</p><p data-q={n}>{c}</p>',
    '<style>p.z{n}+p{font-size:0}</style><p class=z{n}>a</p><p>{c}</p>',
    '<div id=sh{n}></div><script>sh{n}.attachShadow({mode:"open"}).innerHTML="<style>p+p{opacity:0}</style><p>a</p><p>{c}</p>"</script>',
    '<div inert>{c}</div>',
    '<div aria-hidden=true>{c}</div>',
    '<label style="opacity:0">{c}<input></label>',
    '<label style="position:absolute;left:-9999px" for=lf{n}>{c}</label><input id=lf{n}>',
    '<fieldset><legend style="opacity:0">{c}</legend><input></fieldset>',
    '<table><caption style="font-size:0">{c}</caption><tr><td>1<td>2</table>',
    '<iframe style="opacity:0" srcdoc="{c}"></iframe>',
    '<p style="text-shadow:0 0 3px #fff;color:#fff">{c}</p>',
    '<div style="perspective:1px;transform-style:preserve-3d"><div style="transform:translateZ(-100000px)">{c}</div></div>',
    '<div style="position:absolute;left:100000px;top:0">far</div><div style="position:fixed;left:100vw">{c}</div>',
]

SEEN = [
    "<p>{c}</p>",
    "<button>{c}</button>",
    "<p style='color:#777;background:#fff'>{c}</p>",
    "<div style='background:#000;color:#fff'><p>{c}</p></div>",
    "<div style='overflow:auto;height:50px'><div style='height:900px'></div>{c}</div>",
    "<div style='height:3000px'></div><p>{c}</p>",
    "<div style='position:absolute;left:50px;top:50px'>{c}</div>",
    "<div style='transform:translateX(10px) scale(1.2)'>{c}</div>",
    "<div style='overflow:hidden'>{c}</div>",
    "<p style='color:transparent;background:linear-gradient(red,blue);background-clip:text;-webkit-background-clip:text'>{c}</p>",
    "<p style='color:#fff;text-shadow:0 0 3px #000'>{c}</p>",
    "<div style='position:relative'><div style='position:absolute;inset:0;background:#eee'></div><p style='position:relative'>{c}</p></div>",
    "<svg width=200 height=30><text y=20>{c}</text></svg>",
    "<div style='text-indent:20px'>{c}</div>",
    "<div style='background:url({pixel});color:#fff'>{c}</div>",
    "<label>{c}<input></label>",
    "<table><tr><th>{c}</th></tr><tr><td>x</td></tr></table>",
    "<div style='display:flex'><span>{c}</span></div>",
    "<div style='clip-path:inset(0 round 8px)'>{c}</div>",
    "<div style='filter:blur(0.5px)'>{c}</div>",
    "<div style='position:fixed;bottom:0'>{c}</div>",
    "<header style='position:sticky;top:0;background:#fff'>head</header><p>{c}</p>",
]


def lines_with(text: str, word: str) -> list[str]:
    return [line for line in text.splitlines() if word in line]


def page(trick: str, word: str) -> str:
    return "<!doctype html><title>t</title><body>" + trick.replace("{c}", word).replace("{n}", "7").replace("{pixel}", PIXEL)


@pytest.mark.parametrize("trick", [f"<div style='{style}'>{{c}}</div>" for style in STYLES] + TRICKS)
async def test_hidden_words_are_left_out_or_marked(world: World, trick: str) -> None:
    await world.show(page(trick, "CANARY"))
    assert all(MARK.search(line) for line in lines_with(await world.text(), "CANARY"))


@pytest.mark.parametrize("honest", SEEN)
async def test_words_that_are_seen_are_not_marked(world: World, honest: str) -> None:
    await world.show(page(honest, "CANARY"))
    lines = lines_with(await world.text(), "CANARY")
    assert lines and not any(MARK.search(line) for line in lines)
