// Amounts of memory as people read them.

const MEGABYTE = 2 ** 20;
const GIGABYTE = 2 ** 30;

/** @param {number} bytes */
export const size = (bytes) =>
  bytes >= GIGABYTE ? `${(bytes / GIGABYTE).toFixed(1)} GB` : `${Math.round(bytes / MEGABYTE)} MB`;
