// Pictures that came as base64, with boxes drawn over them, and a dialog that shows one large.

import { openDialog } from "./dialog.js";
import { element, svgElement } from "./element.js";

/** @import { Attachment, Box, Picture } from "../client/wire.js" */

const PICTURE_TYPES = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** @param {{ mimeType: string, data?: string }} picture */
export const isPicture = (picture) => PICTURE_TYPES.has(picture.mimeType) && Boolean(picture.data);

/** @param {{ mimeType: string, data?: string }} picture */
const address = (picture) => `data:${picture.mimeType};base64,${picture.data}`;

/** @param {string} data base64 */
export const bytesOf = (data) => Uint8Array.from(atob(data), (character) => character.charCodeAt(0));

/**
 * A picture that a click enlarges.
 * @param {{ mimeType: string, data?: string, name?: string }} picture
 * @param {string} name what it shows
 */
export const thumbnail = (picture, name) =>
  element(
    "button",
    { type: "button", class: "thumbnail", "aria-label": `Enlarge: ${name}`, onclick: () => enlarge(picture, name) },
    element("img", { src: address(picture), alt: name }),
  );

/**
 * @param {{ mimeType: string, data?: string }} picture
 * @param {string} name
 */
export const enlarge = (picture, name) =>
  openDialog(name, [element("img", { class: "enlarged", src: address(picture), alt: name })], "wide");

/**
 * A picture of a page with boxes over it, in CSS pixels of the page.
 * @param {Picture} picture
 * @param {string} name
 * @param {Box[]} boxes
 */
export const outlinedPicture = (picture, name, boxes = []) => {
  const image = element("img", { src: address(picture), alt: name });
  const frame = element("div", { class: "outlined" }, image);
  if (picture.width && picture.height) frame.append(outlines(picture.width, picture.height, boxes));
  else image.addEventListener("load", () => frame.append(outlines(image.naturalWidth, image.naturalHeight, boxes)));
  return frame;
};

/**
 * @param {number} width
 * @param {number} height
 * @param {Box[]} boxes
 */
export const outlines = (width, height, boxes) =>
  svgElement(
    "svg",
    { class: "outlines", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...boxes.map((box) => svgElement("rect", { ...box, rx: 3 })),
  );

/**
 * The attachments of a tool's result: pictures inline, files as links that save them.
 * @param {Attachment[] | undefined} attachments
 * @param {string} source what they come from
 */
export const attachmentList = (attachments, source) => {
  if (!attachments?.length) return null;
  const shown = attachments.map((one, index) => attachment(one, one.name ?? `${source} ${index + 1}`));
  return element("div", { class: "attachments" }, shown);
};

/**
 * @param {Attachment} one
 * @param {string} name
 */
const attachment = (one, name) => {
  if (isPicture(one)) return thumbnail(one, name);
  if (!one.data) return element("span", { class: "chip" }, `${name} (not kept)`);
  return element(
    "button",
    { type: "button", class: "button", onclick: () => save(name, bytesOf(one.data ?? ""), one.mimeType) },
    `Save ${name}`,
  );
};

/**
 * Let the browser save data under a name.
 * @param {string} name
 * @param {BlobPart} data
 * @param {string} type
 */
export const save = (name, data, type) => {
  const url = URL.createObjectURL(new Blob([data], { type }));
  element("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
};
