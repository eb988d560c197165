"""Temporary: are the layouts what they say, by pixels?"""
import asyncio, base64, io, json
import pytest
from PIL import Image, ImageChops
from tests.browser.snapshot.test_layouts import LAYOUTS, page

HIDE = """(() => { const w=[]; const walk=(root)=>{ const t=document.createTreeWalker(root,5); for(let n=t.nextNode();n;n=t.nextNode()){ if(n.nodeType===3){ if(n.data.includes('CANARY')) w.push(n)} else { if(n.shadowRoot) walk(n.shadowRoot); if(n.localName==='iframe'&&n.contentDocument) walk(n.contentDocument)} } }; walk(document); for(const n of w){ n.data=n.data.replace(/CANARY/g,'\\u00a0\\u2002\\u2002\\u2002\\u2002\\u2002') } return w.length})()"""

async def shot(world):
    data = (await world._cdp.send("Page.captureScreenshot", {"format": "png"}))["data"]
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")

@pytest.mark.parametrize("kind,name,html", LAYOUTS, ids=[f"{k}-{n}" for k,n,_ in LAYOUTS])
async def test_truth(world, kind, name, html):
    await world.show(page(html))
    await world.page.evaluate("new Promise(d=>requestAnimationFrame(()=>requestAnimationFrame(d)))")
    a = await shot(world)
    n = await world.page.evaluate(HIDE)
    await world.page.evaluate("new Promise(d=>requestAnimationFrame(()=>requestAnimationFrame(d)))")
    b = await shot(world)
    diff = ImageChops.difference(a, b).getextrema()
    top = max(e[1] for e in diff)
    a.save(f"/tmp/w/seen/{kind}-{name.replace(' ', '_').replace('/', '')[:50]}.png")
    assert (top > 40) == (kind == "seen"), (n, top)
