// Changes a page at random in the ways that `ways` names, as a redesign would. `data-truth` stays with each control.

(seed, ways) => {
  let state = seed * 2654435761 + 1;
  const random = () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 4294967296;
  };
  const chance = (share) => random() < share;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shuffled = (list) => list.map((each) => [random(), each]).sort((a, b) => a[0] - b[0]).map(([, each]) => each);
  const word = () => Math.floor(random() * 1e9).toString(36);

  const retag = (element, tag, attributes = {}) => {
    const made = document.createElement(tag);
    for (const { name, value } of element.attributes) if (name !== "type") made.setAttribute(name, value);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...element.childNodes);
    element.replaceWith(made);
    return made;
  };

  const NAMES = [
    [/^Save$/, "Save changes"], [/^Add to basket$/, "Put in cart"], [/^Place order$/, "Place your order"],
    [/^Your name$/, "Name"], [/^Search$/, "Search here"], [/^Sign in$/, "Log in"], [/^E-?mail$/i, "Email address"],
    [/^Password$/, "Your password"], [/^Edit$/, "Edit this"], [/^Remove$/, "Take out"], [/^Comments?$/, "Discuss"],
    [/^Home$/, "Start page"], [/^Phone$/, "Telephone"], [/^City$/, "Town"], [/^Country$/, "Country or region"],
    [/^Details$/, "More details"], [/^Next$/, "Next page"], [/^Open$/, "Open it"], [/^Order$/, "Order now"],
  ];
  const CHANGES = {
    ids() {
      const classes = new Map();
      const ids = new Map();
      for (const element of all("body *")) {
        for (const name of ["data-testid", "data-test", "data-qa", "name"]) element.removeAttribute(name);
        for (const own of [...element.classList]) if (!classes.has(own)) classes.set(own, `c${word()}`);
        if (element.classList.length) element.setAttribute("class", [...element.classList].map((own) => classes.get(own)).join(" "));
        if (element.id) ids.set(element.id, `i${word()}`);
      }
      for (const style of all("style")) style.textContent = style.textContent.replace(/\.([A-Za-z][\w-]*)(?=[^{}]*\{)/g, (whole, own) => (classes.has(own) ? `.${classes.get(own)}` : whole));
      for (const [old, made] of ids) {
        document.getElementById(old)?.setAttribute("id", made);
        for (const name of ["for", "aria-labelledby", "aria-describedby"]) for (const each of all(`[${name}="${old}"]`)) each.setAttribute(name, made);
        for (const use of all("use")) if (use.getAttribute("href") === `#${old}`) use.setAttribute("href", `#${made}`);
      }
    },
    wrap() {
      for (const element of all("main *, form, section, button, input, select, a, li > *")) {
        if (!element.isConnected || !chance(0.4) || element.closest("svg, select, head, option") || /^(TR|TD|TH|LI|TBODY|THEAD|OPTION|DT|DD|LEGEND|CAPTION)$/.test(element.tagName)) continue;
        const outer = document.createElement(chance(0.5) ? "div" : "span");
        element.replaceWith(outer);
        outer.append(element);
      }
    },
    order() {
      for (const parent of all("ul, ol, tbody, table, form, section, main, nav, [role=toolbar], [role=group], td, li, div")) {
        const children = [...parent.children];
        if (children.length < 2 || parent.closest("svg, select") || children.some((each) => /^(STYLE|SCRIPT|LEGEND)$/.test(each.tagName)) || !chance(0.6)) continue;
        // What looks the same is told apart by its order alone, by people too: a rating of three stars is the third one.
        const looks = new Set(children.map((each) => each.outerHTML.replace(/ data-truth="\d+"/g, "")));
        if (looks.size < children.length) continue;
        if (children.every((each) => each.tagName === children[0].tagName)) parent.append(...shuffled(children));
        else if (/^(FORM|SECTION|MAIN)$/.test(parent.tagName) && !children.some((each) => /^(H\d|LABEL|SPAN)$/.test(each.tagName))) parent.append(...shuffled(children));
      }
    },
    markup() {
      for (const label of all("label")) {
        const control = label.control;
        if (!control || !chance(0.7)) continue;
        control.setAttribute("aria-label", label.innerText.trim() || control.getAttribute("aria-label") || "");
        retag(label, "span").removeAttribute("for");
      }
      for (const button of all("button")) if (chance(0.7)) retag(button, "div", { role: "button", tabindex: "0" });
      const asRows = chance(0.5);
      for (const row of all("tr")) retag(row, "div", asRows ? { role: "row" } : {});
      for (const cell of all("td, th")) retag(cell, "div", asRows ? { role: "cell" } : {});
      for (const table of all("tbody, thead, table")) retag(table, "div", asRows && table.tagName === "TABLE" ? { role: "table" } : {});
      for (const item of all("li")) retag(item, "div", chance(0.5) ? { role: "listitem" } : {});
      for (const heading of all("h1, h2, h3")) if (chance(0.5)) retag(heading, "div", { role: "heading", "aria-level": heading.tagName[1] });
    },
    words() {
      for (const element of all("button, a, label, [role=button], legend, h1, h2, h3, th, option, span")) {
        for (const node of element.childNodes) {
          if (node.nodeType !== 3) continue;
          for (const [was, now] of NAMES) if (was.test(node.data.trim()) && chance(0.6)) { node.data = node.data.replace(node.data.trim(), now); break; }
        }
      }
    },
    removed() {
      for (const element of all("[data-truth]")) if (chance(1 / 7)) element.remove();
    },
    rows() {
      for (const row of all("tr, li, article")) if (chance(1 / 6)) row.remove();
    },
    dialog() {
      const content = document.querySelector("main") || document.body;
      const dialog = document.createElement("div");
      dialog.setAttribute("role", "dialog");
      dialog.setAttribute("aria-label", "Please go on here");
      dialog.append(...content.childNodes);
      content.append(dialog);
    },
    frame() {
      const content = document.querySelector("main") || document.body;
      const frame = document.createElement("iframe");
      frame.width = frame.height = "900";
      // Elements that are moved keep the classes of the window that made them, as no page has them.
      const styles = all("head style").map((each) => each.outerHTML).join("");
      const moved = content.innerHTML;
      content.replaceChildren(frame);
      frame.contentDocument.head.innerHTML = styles;
      frame.contentDocument.body.innerHTML = moved;
    },
    // The same pictures drawn anew, by a library that calls them by the same words.
    redrawn() {
      for (const svg of all("svg")) {
        const path = svg.querySelector("path");
        if (path) path.setAttribute("d", `M1 1${path.getAttribute("d")}z`);
      }
    },
    // Other pictures, and nothing that says what they are.
    pictures() {
      for (const svg of all("svg")) {
        svg.removeAttribute("class");
        svg.innerHTML = `<circle r="${Math.floor(random() * 9)}"></circle><path d="M${word()}"></path>`;
      }
      for (const icon of all("i")) icon.className = "";
      for (const image of all("img")) image.src = `/${word()}.png`;
    },
    labels() {
      for (const element of all("button, a, [role=button]")) {
        if (element.innerText.trim() || element.hasAttribute("aria-label")) continue;
        const said = element.dataset.meaning || "";
        if (said) element.setAttribute("aria-label", said);
      }
    },
  };
  for (const way of ways) CHANGES[way]();
  return true;
}
