// The entry of the script that runs axe-core in rove's world of one frame, where the page can neither see nor change it.
// `axe` is the axe-core of this world; the elements that it names are described by rove's own script.

import { isConnected } from "./dom/natives.js";

// The elements of this frame that an audit has named, by a number of their own: only those that are told get a ref.

// The script of every snapshot, which has the refs.
const refScript = /** @type {any} */ (globalThis.rove);
/** @type {Element[]} */
let audited = [];
/** @type {Map<Element, number>} */
let indexes = new Map();

/** @param {Element} element */
const indexOf = (element) => {
  let index = indexes.get(element);
  if (index === undefined) {
    index = audited.push(element) - 1;
    indexes.set(element, index);
  }
  return index;
};

// Returns the ref of each element and its line, as a snapshot has it; null for one that has left the page.
/** @param {number[]} wanted */
const toldElements = (wanted) =>
  wanted.map((index) => {
    const element = audited[index];
    if (!element || !isConnected(element)) return null;
    const { ref, line } = refScript.describe(element);
    return { ref, line };
  });

/** @typedef {{ ref?: string, frame?: object }} AuditContext */

// The place of an element of which axe does not tell it.
const UNPLACED = ":root";

/** @type {object | null} */
let mainPartial = null;

// What a field holds is no fault of the page, and may be a secret.
/** @param {string} source */
const withoutValues = (source) => source.replace(/(\[|\s)value="(?:[^"\\]|\\.)*"/g, "$1value");

/** @param {AxeSelector} selector @returns {AxeSelector} */
const plainSelector = (selector) =>
  Array.isArray(selector) ? selector.map(plainSelector) : withoutValues(String(selector));

// What axe reports of an element: its own facts and, in place of an XPath, by which number this frame knows it.
/** @param {AxeElement} found @param {string} prefix */
const specOf = (found, prefix) => ({
  selector: plainSelector(found.selector),
  source: withoutValues(found.source),
  ancestry: found.ancestry,
  nodeIndexes: found.nodeIndexes,
  fromFrame: found.fromFrame,
  xpath: [`${prefix}:${indexOf(found.element)}`],
});

/** @param {AuditContext} context */
const axeContext = ({ ref, frame }) => (ref ? { include: [refScript.element(ref)] } : (frame ?? document));

/** @param {string} prefix */
const begin = (prefix) => {
  // A run that was cut off at its deadline leaves these behind.
  axe._running = false;
  axe.teardown();
  /** @type {Map<Element, object>} */
  const specs = new Map();
  // Each element is found by many rules, and its selector takes long to make.
  const toSpec = (/** @type {AxeElement} */ found) => {
    const spec = specs.get(found.element) ?? specOf(found, prefix);
    // Of elements that are only related to another, axe tells less: rules that compare places could not tell any.
    if (found.ancestry[0] !== UNPLACED) specs.set(found.element, spec);
    return { ...spec };
  };
  axe.utils.nodeSerializer.update({ toSpec });
};

// Returns the frames that an audit of this one goes on with: the refs of their elements, and axe's context for each.
/** @param {AuditContext} context @param {object} options @param {string} prefix */
const framesIn = (context, options, prefix) => {
  begin(prefix);
  const found = axe.utils.getFrameContexts(axeContext(context), options);
  return found.map(({ frameSelector, frameContext }) => {
    const owner = axe.utils.shadowSelect(frameSelector);
    return { owner: owner ? refScript.ref(owner) : "", context: { frame: frameContext } };
  });
};

// Runs the rules on this frame alone. The result of the frame that the audit began in stays here, as it is the largest.
/** @param {AuditContext} context @param {object} options @param {string} prefix @param {boolean} isFirst */
const run = async (context, options, prefix, isFirst) => {
  begin(prefix);
  const partial = await axe.runPartial(axeContext(context), options);
  if (!isFirst) return partial;
  mainPartial = partial;
  return null;
};

/** @param {AxeRule} rule @param {number} most */
const toldRule = ({ id, impact, tags, help, nodes }, most) => ({
  id,
  impact,
  tags,
  help,
  total: nodes.length,
  nodes: nodes.slice(0, most).map((node) => ({
    element: node.xpath.at(-1),
    target: node.target,
    html: node.html,
    summary: node.failureSummary ?? "",
  })),
});

// Joins the results of all frames and returns the rules that are broken, or that a person has to check.
/** @param {(object | null)[]} partials @param {object} options @param {number} most */
const finish = async (partials, options, most) => {
  const report = await axe.finishRun([mainPartial, ...partials], { ...options, xpath: true });
  mainPartial = null;
  return {
    version: report.testEngine.version,
    violations: report.violations.map((rule) => toldRule(rule, most)),
    incomplete: report.incomplete.map((rule) => toldRule(rule, most)),
    passes: report.passes.length,
    inapplicable: report.inapplicable.length,
  };
};

const known = () => {
  const rules = axe.getRules();
  return { rules: rules.map((rule) => rule.ruleId), tags: [...new Set(rules.flatMap((rule) => rule.tags))].sort() };
};

const end = () => {
  mainPartial = null;
  axe.utils.nodeSerializer.update({}); // the one before holds elements
  audited = [];
  indexes = new Map();
};

globalThis.roveAudit = { known, framesIn, run, finish, told: toldElements, end };
