// Built-in functions as they were before any script of the page could replace them.

export const nativeApply = Reflect.apply;
export const NativePromise = Promise;
export const NativeCustomEvent = CustomEvent;
export const nativeDispatch = EventTarget.prototype.dispatchEvent;
export const nativeListen = EventTarget.prototype.addEventListener;
export const nativeStringify = JSON.stringify;
