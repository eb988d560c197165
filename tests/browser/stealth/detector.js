// Looks for what tells a driven browser from one that a person uses. `marks()` returns the names of what was found.

const found = new Set();
const mark = (name, isFound) => isFound && found.add(name);

// Reads the name of an error as an inspector does; without one, a console reads it once.
const NAME_READS = `() => {
  let reads = 0;
  const original = Object.getOwnPropertyDescriptor(Error.prototype, "name");
  Object.defineProperty(Error.prototype, "name", { configurable: true, get: () => { reads += 1; return "Error"; } });
  console.debug(new Error(""));
  Object.defineProperty(Error.prototype, "name", original);
  return reads;
}`;
const IDENTITY = `async () => {
  const names = ["architecture", "bitness", "fullVersionList", "platform", "uaFullVersion"];
  const hints = await navigator.userAgentData.getHighEntropyValues(names);
  return JSON.stringify([navigator.userAgent, navigator.platform, navigator.languages, hints]);
}`;
const BOTH = `async () => ({ identity: await (${IDENTITY})(), reads: (${NAME_READS})() })`;
const inPage = (code) => (0, eval)(`(${code})()`);
const ofWorker = (worker) =>
  new Promise((resolve) => {
    worker.onmessage = (event) => resolve(event.data);
  });
const inWorker = () => {
  const source = `(${BOTH})().then(postMessage)`;
  return ofWorker(new Worker(URL.createObjectURL(new Blob([source]))));
};

const hadWebGl = () => {
  const context = document.createElement("canvas").getContext("webgl");
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  return names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : "none";
};
const webGlRenderer = hadWebGl();
const ownFrame = document.querySelector("iframe");

// Methods that a script in this world would call, as the page has replaced them.
let callsByOthers = 0;
const watchedMethods = [
  [EventTarget.prototype, "addEventListener"],
  [EventTarget.prototype, "dispatchEvent"],
  [Document.prototype, "querySelector"],
  [Document.prototype, "querySelectorAll"],
  [Element.prototype, "querySelectorAll"],
  [Element.prototype, "getBoundingClientRect"],
  [Element.prototype, "matches"],
  [HTMLElement.prototype, "click"],
  [HTMLElement.prototype, "focus"],
];
let isOwnCall = false;
const own = (work) => {
  isOwnCall = true;
  try {
    return work();
  } finally {
    isOwnCall = false;
  }
};

let mutations = 0;
let mouseEvents = 0;
const timerStacks = [];
const keepStack = () => timerStacks.push(new Error("stack").stack);

const start = () => {
  for (const [prototype, name] of watchedMethods) {
    const native = prototype[name];
    prototype[name] = function (...given) {
      if (!isOwnCall) callsByOthers += 1;
      return native.apply(this, given);
    };
  }
  new MutationObserver((records) => {
    mutations += records.length;
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  own(() => {
    for (const kind of ["mousemove", "mousedown", "mouseup", "click", "pointermove", "wheel"])
      document.addEventListener(kind, (event) => {
        mouseEvents += 1;
        mark("untrusted input", !event.isTrusted);
        const left = screenX + (outerWidth - innerWidth) / 2;
        const top = screenY + outerHeight - innerHeight;
        mark("mouse coordinates", Math.abs(event.screenX - event.clientX - left) > 20);
        mark("mouse coordinates", Math.abs(event.screenY - event.clientY - top) > 40);
      });
    for (const kind of ["keydown", "keyup"])
      document.addEventListener(kind, (event) => mark("untrusted input", !event.isTrusted || !event.code));
  });
  setTimeout(keepStack, 1);
  requestAnimationFrame(keepStack);
};

const look = async (headers) => {
  const worker = await inWorker();
  const page = await inPage(BOTH);
  const frame = ownFrame.contentWindow.eval(`(${NAME_READS})()`);
  mark("webdriver", navigator.webdriver !== false || Object.getOwnPropertyNames(navigator).length > 0);
  mark("user agent", /headless/i.test(navigator.userAgent + navigator.appVersion));
  mark("user agent in worker", worker.identity !== page.identity);
  mark("client hints", /headless/i.test(page.identity) || JSON.parse(page.identity)[3].architecture === "");
  mark("inspected console", page.reads > 1);
  mark("inspected console of a frame", frame > 1);
  mark("inspected console of a worker", worker.reads > 1);
  const brands = navigator.userAgentData.brands.map((each) => `"${each.brand}";v="${each.version}"`).join(", ");
  mark("request headers", headers["user-agent"] !== navigator.userAgent || headers["sec-ch-ua"] !== brands);
  mark("languages", !(headers["accept-language"] ?? "").startsWith(navigator.language));
  const notifications = await navigator.permissions.query({ name: "notifications" });
  mark("permissions", Notification.permission === "denied" && notifications.state === "prompt");
  mark("plugins", navigator.plugins.length === 0 || navigator.mimeTypes.length === 0 || !navigator.pdfViewerEnabled);
  mark("chrome object", !window.chrome?.loadTimes);
  mark("screen", screen.width === 800 || outerWidth > screen.availWidth || outerHeight > screen.availHeight);
  mark("window", outerHeight - innerHeight < 30 || outerWidth < innerWidth || (screenX === 0 && screenY === 0));
  mark("viewport of robots", ["800x600", "1280x720"].includes(`${innerWidth}x${innerHeight}`));
  mark("scroll bars", innerWidth === document.documentElement.clientWidth);
  mark("no mouse", !matchMedia("(hover: hover) and (pointer: fine)").matches);
  mark("connection", navigator.connection.rtt === 0);
  mark("WebGL", /swiftshader|none/i.test(webGlRenderer));
  mark("stacks", timerStacks.some((stack) => stack.split("\n").slice(1).some((line) => !line.includes("/detector.js"))));
  mark("calls in this world", callsByOthers > 0);
  mark("changes by others", mutations > 0);
};

globalThis.marks = async (headers) => {
  await look(headers);
  return [...found].sort();
};
globalThis.mouseEventCount = () => mouseEvents;
start();
