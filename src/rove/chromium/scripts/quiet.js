// When is this document quiet? Watches its mutations and answers once a painted frame brought no more.

const mutations = { count: 0 };
new MutationObserver((records) => {
  mutations.count += records.length;
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });

const painted = () =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, 50);
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        clearTimeout(late);
        resolve();
      };
      channel.port2.postMessage(null);
    });
  });

// Quiet means: a frame was painted and nothing was changed while it was. A page that never stops changing is
// given up on after `patience` milliseconds, and reported.
const quiet = async (patience) => {
  const giveUp = performance.now() + patience;
  const start = mutations.count;
  let seen = start;
  for (let frames = 0; ; frames++) {
    await painted();
    if (mutations.count === seen && (frames > 0 || seen === start)) return { busy: false, changed: seen !== start };
    seen = mutations.count;
    if (performance.now() >= giveUp) return { busy: true, changed: true };
  }
};

Object.assign(globalThis.rove, { quiet });
