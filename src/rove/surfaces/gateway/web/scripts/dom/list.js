// Lists whose items change: an item keeps its element, and with it the focus and what was typed, while its key is there.

/** @typedef {HTMLElement & { show?: (item: any) => void }} ItemElement */

/** @type {WeakMap<Element, Map<string, ItemElement>>} */
const shown = new WeakMap();

/**
 * Make the children of `parent` those of `items`, in order. An element with a method `show` is shown its item each time.
 * @template I
 * @param {Element} parent
 * @param {I[]} items
 * @param {(item: I) => string} keyOf
 * @param {(item: I) => ItemElement} make
 */
export const showList = (parent, items, keyOf, make) => {
  const before = shown.get(parent) ?? new Map();
  const after = new Map();
  for (const item of items) after.set(keyOf(item), itemElement(before.get(keyOf(item)), item, make));
  for (const [key, node] of before) if (after.get(key) !== node) node.remove();
  place(parent, [...after.values()]);
  shown.set(parent, after);
};

/**
 * @template I
 * @param {ItemElement | undefined} known
 * @param {I} item
 * @param {(item: I) => ItemElement} make
 */
const itemElement = (known, item, make) => {
  const node = known ?? make(item);
  node.show?.(item);
  return node;
};

/**
 * Put nodes in order, without moving those that are in their place.
 * @param {Element} parent
 * @param {Element[]} nodes
 */
const place = (parent, nodes) => {
  nodes.forEach((node, index) => {
    const there = parent.children[index];
    if (there !== node) parent.insertBefore(node, there ?? null);
  });
};
