// Refs: a number belongs to one element for as long as it lives and is never given to another.

const refNumbers = new WeakMap();
const refElements = new Map();
let nextRefNumber = 1;

const collected = new FinalizationRegistry((number) => refElements.delete(number));

const refNumber = (element) => {
  let number = refNumbers.get(element);
  if (number === undefined) {
    number = nextRefNumber++;
    refNumbers.set(element, number);
    refElements.set(number, new WeakRef(element));
    collected.register(element, number);
  }
  return number;
};

const elementOfRef = (ref) => {
  const match = /^(?:f\d+)?e(\d+)$/.exec(String(ref));
  const held = match && refElements.get(Number(match[1]));
  const element = held && held.deref();
  return element && isConnected(element) ? element : null;
};
