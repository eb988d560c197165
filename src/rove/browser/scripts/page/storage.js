// Local storage of the page.

/** @param {number} most */
export const storedItems = (most) => {
  if (!/^https?:$/.test(location.protocol)) return null;
  const items = Object.keys(localStorage).map((name) => ({ name, value: localStorage.getItem(name) || "" }));
  const size = items.reduce((total, { name, value }) => total + name.length + value.length, 0);
  return items.length && size <= most ? { origin: location.origin, items } : null;
};
