// A form made from a JSON schema. What it has no control for is written as JSON.

import { element } from "../../dom/element.js";
import { icon } from "../../dom/icons.js";

/** @import { Facts } from "../../client/wire.js" */
/** @typedef {{ node: HTMLElement, read: () => unknown }} Field `read` returns undefined for what was left empty */

let count = 0;

/**
 * @param {Facts} schema
 * @param {string} name
 * @param {boolean} [isRequired]
 * @returns {Field}
 */
export const fieldFor = (schema, name, isRequired = false) => {
  if (schema.enum) return choiceField(schema, name, isRequired);
  if (schema.const !== undefined) return constantField(schema, name);
  if (schema.type === "object" && schema.properties) return objectField(schema, name);
  if (schema.type === "array" && schema.items) return arrayField(schema, name);
  if (schema.type === "boolean") return choiceField({ ...schema, enum: [true, false] }, name, isRequired);
  if (schema.type === "integer" || schema.type === "number") return numberField(schema, name, isRequired);
  if (schema.anyOf?.some(hasType)) return variantField(schema, name);
  if (schema.type === "string" || schema.anyOf?.some(isText)) return textField(schema, name, isRequired);
  return jsonField(schema, name, isRequired);
};

/** @param {Facts} schema */
const isText = (schema) => schema.type === "string";

/** A variant that its property `type` names. @param {Facts} schema */
const hasType = (schema) => schema.properties?.type?.const !== undefined;

/**
 * @param {Facts} schema
 * @param {string} name
 * @param {HTMLElement} control
 * @param {boolean} isRequired
 */
const labelled = (schema, name, control, isRequired) => {
  control.id = `field-${++count}`;
  const help = schema.description && element("small", { id: `${control.id}-help` }, schema.description);
  if (help) control.setAttribute("aria-describedby", help.id);
  return element(
    "div",
    { class: "field" },
    element(
      "label",
      { for: control.id },
      name,
      isRequired ? element("span", { class: "required" }, " required") : null,
    ),
    control,
    help,
  );
};

/** @param {Facts} schema @param {string} name @param {boolean} isRequired @returns {Field} */
const textField = (schema, name, isRequired) => {
  const control = element("input", {
    type: "text",
    required: isRequired,
    autocomplete: "off",
    placeholder: schema.default,
  });
  return { node: labelled(schema, name, control, isRequired), read: () => control.value || undefined };
};

/** @param {Facts} schema @param {string} name @param {boolean} isRequired @returns {Field} */
const numberField = (schema, name, isRequired) => {
  const control = element("input", {
    type: "number",
    step: schema.type === "integer" ? "1" : "any",
    min: schema.minimum,
    max: schema.maximum,
    required: isRequired,
    placeholder: schema.default,
  });
  return {
    node: labelled(schema, name, control, isRequired),
    read: () => (control.value === "" ? undefined : Number(control.value)),
  };
};

/** @param {Facts} schema @param {string} name @param {boolean} isRequired @returns {Field} */
const choiceField = (schema, name, isRequired) => {
  const values = /** @type {unknown[]} */ (schema.enum);
  const unset = isRequired
    ? []
    : [element("option", { value: "" }, schema.default === undefined ? "—" : `default: ${schema.default}`)];
  const control = element(
    "select",
    {},
    unset,
    values.map((value, index) => element("option", { value: index }, String(value))),
  );
  return {
    node: labelled(schema, name, control, isRequired),
    read: () => (control.value === "" ? undefined : values[Number(control.value)]),
  };
};

/** @param {Facts} schema @param {string} name @returns {Field} */
const constantField = (schema, name) => ({
  node: element("input", { type: "hidden", name }),
  read: () => schema.const,
});

/** @param {Facts} schema @param {string} name @param {boolean} isRequired @returns {Field} */
const jsonField = (schema, name, isRequired) => {
  const control = element("textarea", { rows: 3, class: "json", placeholder: "JSON", spellcheck: "false" });
  return {
    node: labelled(schema, name, control, isRequired),
    read: () => (control.value.trim() ? JSON.parse(control.value) : undefined),
  };
};

/** @param {Facts} schema @param {string} name @returns {Field} */
const objectField = (schema, name) => {
  const fields = Object.entries(/** @type {Record<string, Facts>} */ (schema.properties)).map(
    ([key, inner]) => /** @type {[string, Field]} */ ([key, fieldFor(inner, key, schema.required?.includes(key))]),
  );
  const node = element(
    "fieldset",
    {},
    element("legend", {}, name),
    fields.map(([, field]) => field.node),
  );
  const read = () => {
    const values = fields.map(([key, field]) => [key, field.read()]).filter(([, value]) => value !== undefined);
    return Object.fromEntries(values);
  };
  return { node, read };
};

/** @param {Facts} schema @param {string} name @returns {Field} */
const arrayField = (schema, name) => {
  /** @type {Field[]} */
  const fields = [];
  const list = element("div", { class: "array-items" });
  const add = () => addItem(schema, name, fields, list);
  const more = element("button", { type: "button", class: "button add", onclick: add }, icon("plus"), `Add to ${name}`);
  if (schema.minItems) add();
  const help = schema.description && element("small", {}, schema.description);
  const read = () => (fields.length ? fields.map((field) => field.read()) : undefined);
  return { node: element("fieldset", {}, element("legend", {}, name), help, list, more), read };
};

/**
 * @param {Facts} schema
 * @param {string} name
 * @param {Field[]} fields
 * @param {HTMLElement} list
 */
const addItem = (schema, name, fields, list) => {
  const field = fieldFor(schema.items, `${name} ${fields.length + 1}`, true);
  const drop = () => {
    fields.splice(fields.indexOf(field), 1);
    row.remove();
  };
  const row = element(
    "div",
    { class: "array-item" },
    field.node,
    element("button", { type: "button", class: "button quiet", "aria-label": "Remove", onclick: drop }, icon("close")),
  );
  fields.push(field);
  list.append(row);
};

/**
 * One of several shapes: those that `type` names, or anything else as JSON.
 * @param {Facts} schema
 * @param {string} name
 * @returns {Field}
 */
const variantField = (schema, name) => {
  const shapes = /** @type {Facts[]} */ ([...schema.anyOf.filter(hasType), { title: "another, as JSON" }]);
  let field = fieldFor(shapes[0], name);
  const place = element("div", {}, field.node);
  const change = () => {
    field = fieldFor(shapes[Number(choice.value)], name);
    place.replaceChildren(field.node);
  };
  const choice = element(
    "select",
    { "aria-label": `Type of ${name}`, onchange: change },
    shapes.map((shape, index) => element("option", { value: index }, shape.title ?? shape.properties.type.const)),
  );
  return { node: element("div", { class: "variant" }, choice, place), read: () => field.read() };
};
