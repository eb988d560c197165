// Built-in functions as they were before any script of the page could replace them.

export const nativeApply = Reflect.apply;
export const nativeConstruct = Reflect.construct;
export const NativePromise = Promise;
export const NativeCustomEvent = CustomEvent;
export const nativeDispatch = EventTarget.prototype.dispatchEvent;
export const nativeListen = EventTarget.prototype.addEventListener;
export const nativeStringify = JSON.stringify;
export const nativeParse = JSON.parse;
export const nativeDescriptor = Object.getOwnPropertyDescriptor;

const nativeDefine = Object.defineProperty;
const nativeIndexOf = String.prototype.indexOf;
export const nativeSlice = String.prototype.slice;
const nativeIsPrototypeOf = Object.prototype.isPrototypeOf;
const NativeError = Error;
const exceptionPrototype = DOMException.prototype;
// Of engines in which errors have no stack of their own, and of those where exceptions of the DOM have yet another.
const errorStack = nativeDescriptor(new NativeError(), "stack") ?? nativeDescriptor(NativeError.prototype, "stack");
const exceptionStackGetter = nativeDescriptor(exceptionPrototype, "stack")?.get;

/** @param {any} error @returns {unknown} */
const stackOf = (error) => {
  const own = nativeDescriptor(error, "stack");
  if (own && "value" in own) return own.value;
  const isException = exceptionStackGetter && nativeApply(nativeIsPrototypeOf, exceptionPrototype, [error]);
  const read = own ? own.get : isException ? exceptionStackGetter : errorStack?.get;
  // Any other getter is the page's, which must not run for this.
  const isKnown = read && (read === errorStack?.get || read === exceptionStackGetter);
  return isKnown ? nativeApply(read, error, []) : undefined;
};

// Returns a stack without the frames of `callNative`, of the trap that called it, and of what is between the two and the
// built-in function.
/** @param {string} stack */
const withoutOwnFrames = (stack) => {
  let shown = "";
  let held = "";
  let isOwn = false;
  for (let start = 0; start < stack.length; ) {
    const end = nativeApply(nativeIndexOf, stack, ["\n", start]);
    const next = end < 0 ? stack.length : end + 1;
    const line = nativeApply(nativeSlice, stack, [start, next]);
    start = next;
    /** @param {string} words */
    const has = (words) => nativeApply(nativeIndexOf, line, [words]) >= 0;
    if (has("callNative (<anonymous>") || has("callNative@")) {
      held = "";
      isOwn = true;
    } else if (isOwn && has("apply")) {
      isOwn = false;
    } else {
      shown += held;
      held = has("Reflect.apply (<anonymous>)") ? line : "";
      if (!held) shown += line;
      isOwn = false;
    }
  }
  return shown + held;
};

// Removes the frames of this script from the stack of an error that a built-in function threw. A page that formats stacks
// itself would be shown them when the stack is read, so that it is left alone.
/** @param {unknown} error */
const hideOwnFrames = (error) => {
  if (typeof error !== "object" || error === null || nativeDescriptor(NativeError, "prepareStackTrace")) return;
  const stack = stackOf(error);
  if (typeof stack !== "string") return;
  const shown = withoutOwnFrames(stack);
  if (shown === stack) return;
  const own = nativeDescriptor(error, "stack");
  if (own?.set) nativeApply(own.set, error, [shown]);
  else nativeDefine(error, "stack", { value: shown, writable: true, enumerable: false, configurable: true });
};

// Calls a built-in function in place of the page.
/** @param {Function} native @param {any} self @param {ArrayLike<any>} given */
export const callNative = (native, self, given) => {
  try {
    return nativeApply(native, self, given);
  } catch (error) {
    hideOwnFrames(error);
    throw error;
  }
};

// A callback of the page as the browser is given it. The engine looks for a trap, which tells that the callback begins,
// finds none, and calls the page's function itself: no frame of this script is in the stacks of what it throws.
/** @template {Function} F @param {F} callback @param {() => void} onBegin @returns {F} */
export const announcing = (callback, onBegin) => {
  /** @type {any} */
  const handler = {
    __proto__: null,
    get apply() {
      onBegin();
      return undefined;
    },
  };
  return new Proxy(callback, handler);
};
