// The journal of a session, read as steps for the timeline and as items for the chat.

import { RequestFailed } from "./connection.js";
import { gateway } from "./gateway.js";

/** @import { Attachment, Facts, Step } from "./wire.js" */
/** @import { ThreadItem } from "./threads.js" */

const PAGE_SIZE = 500;

/**
 * Read the journal of a session once: its steps and its conversation.
 * @param {string} sessionKey
 */
export const loadHistory = async (sessionKey) => {
  if (gateway.steps.hasHistory(sessionKey)) return;
  const entries = await readJournal(sessionKey);
  if (gateway.steps.hasHistory(sessionKey)) return;
  gateway.steps.addHistory(
    sessionKey,
    entries.filter(isStep).map((/** @type {Facts} */ entry) => stepOf(sessionKey, entry)),
  );
  gateway.threads.of(sessionKey).addHistory(itemsOf(entries));
  gateway.changed("steps");
  gateway.changed("threads");
};

/**
 * Return the last entries of a session's journal. A session that has done nothing yet has none.
 * @param {string} sessionKey
 * @returns {Promise<Facts[]>}
 */
const readJournal = async (sessionKey) => {
  try {
    return (await gateway.request("sessions.history", { sessionKey, limit: PAGE_SIZE, last: true })).entries;
  } catch (error) {
    if (error instanceof RequestFailed && error.code === "not_open") return [];
    throw error;
  }
};

/** @param {Facts} entry */
const isStep = (entry) => Boolean(entry.action) || entry.kind === "driver";

/**
 * @param {string} sessionKey
 * @param {Facts} entry
 * @returns {Step}
 */
const stepOf = (sessionKey, entry) => ({
  ...entry,
  ...(entry.kind === "driver" ? driverStep(entry) : { action: entry.action }),
  sessionKey,
  stepId: String(entry.step ?? entry.stepId ?? `entry ${entry.number}`),
  picture: pictureIn(entry.attachments),
});

/** What a person did with the controls of a session. @param {Facts} entry */
const driverStep = ({ event, person }) => ({
  action: String(event),
  summary: person ? `${event} by ${person}` : String(event),
  actor: /** @type {const} */ ("person"),
  outcome: "done",
});

/** @param {Facts[]} [attachments] */
const pictureIn = (attachments = []) => {
  const found = attachments.map(attachmentOf).find((one) => one.type === "image" && one.data);
  return found && { mimeType: found.mimeType, data: found.data ?? "" };
};

/**
 * An attachment as events have it: without what the journal alone notes of it.
 * @param {Facts} facts
 * @returns {Attachment}
 */
const attachmentOf = (facts) => ({
  type: facts.type,
  mimeType: facts.mimeType,
  data: facts.data ?? undefined,
  name: facts.name ?? undefined,
});

/** @param {Facts[]} entries @returns {ThreadItem[]} */
const itemsOf = (entries) => entries.flatMap((entry) => ITEMS[entry.kind]?.(entry) ?? []);

/** @type {Record<string, ThreadItem["kind"]>} */
const ROLES = { user: "user", assistant: "assistant", server: "server" };

/** @type {Record<string, (entry: Facts) => ThreadItem[]>} */
const ITEMS = {
  message: (entry) => [
    {
      key: `entry ${entry.number}`,
      kind: ROLES[entry.role] ?? "note",
      runId: entry.runId,
      text: entry.text ?? "",
      usage: entry.usage,
      stopReason: entry.stopReason,
    },
  ],
  tool: (entry) =>
    entry.phase === "call"
      ? []
      : [
          {
            key: entry.callId,
            kind: "tool",
            runId: entry.runId,
            tool: entry.tool,
            arguments: typeof entry.arguments === "object" ? entry.arguments : {},
            text: entry.text ?? "",
            progress: [],
            ok: entry.ok,
            attachments: (entry.attachments ?? []).map(attachmentOf),
          },
        ],
};
