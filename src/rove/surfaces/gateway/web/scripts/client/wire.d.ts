// The messages of the gateway, as docs/gateway.md describes them.

export type Scope = "view" | "act" | "approve" | "view:all" | "approve:all" | "own";
// biome-ignore lint/suspicious/noExplicitAny: JSON whose reader knows its shape
export type Facts = Record<string, any>;

export interface WireEvent {
  event: string;
  eventId?: number;
  data: Facts;
}

export interface WireError {
  code: string;
  message: string;
  hint?: string;
}

export interface Model {
  name: string;
  isScripted: boolean;
}

export interface Hello {
  version: string;
  protocol: number;
  scopes: Scope[];
  /** What ends the names of the sessions that were opened with this token: nothing for the owner. */
  mark: string;
  lastEventId: number;
  model: Model | null;
  hasCluster: boolean;
}

export interface ClusterNode {
  id: string;
  address: string;
  state: "ready" | "draining" | "drained" | "silent" | "refused";
  reason: string;
  version: string;
  cores: number;
  load: number;
  memoryTotal: number;
  memoryFree: number;
  sessions: number;
  sessionBytes: number;
  answerSeconds: number;
}

export interface ClusterStatus {
  address: string;
  isConnected: boolean;
  nodes: ClusterNode[];
  sessions: number;
  freePlaces: number;
  sessionBytes: number;
  waiting: number;
  queue: number;
  moving: string[];
  problems: Record<string, string>;
  store: { address: string; saved: number; unsaved: number; problem: string; since: number };
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Picture {
  mimeType: string;
  data: string;
  width?: number;
  height?: number;
}

export interface Attachment {
  type: "image" | "file";
  mimeType: string;
  data?: string;
  name?: string;
}

export interface Approval {
  approvalId: string;
  sessionKey: string;
  toolName: string;
  summary: string;
  details: Facts;
  runId?: string;
  question?: string;
  origins?: (string | null)[];
  elements?: { argument: string; line: string; ref: string; box?: Box }[];
  expiresAt: number;
  consequences?: { name: string; text: string; isNote: boolean }[];
  canRemember: boolean;
  picture?: Picture;
}

export interface Decision {
  approvalId: string;
  sessionKey: string;
  decision: "approved" | "approved_for_session" | "denied" | "expired" | "cancelled";
  by?: string;
  reason?: string;
}

export interface DecidedApproval {
  approval: Approval;
  decision: Decision;
}

export interface Driver {
  who: "agent" | "person";
  name?: string;
  isPaused?: boolean;
}

export interface PageTab {
  id: string;
  url?: string;
  title?: string;
  is_current?: boolean;
}

export interface SessionFacts {
  sessionKey: string;
  name?: string;
  url?: string;
  title?: string;
  tabs?: PageTab[];
  driver?: Driver;
  idleSeconds?: number;
  handoffs?: Omit<Handoff, "sessionKey">[];
}

export interface Step {
  stepId: string;
  sessionKey: string;
  action: string;
  summary?: string;
  arguments?: Facts;
  tab?: string;
  url?: string;
  decision?: string;
  outcome?: string;
  error?: string;
  began?: number;
  seconds?: number;
  actor?: string;
  changes?: string;
  picture?: Picture;
  box?: Box;
  isRunning?: boolean;
}

export interface Refusal {
  sessionKey?: string;
  url?: string;
  host: string;
  reason: string;
  message?: string;
  flag?: string;
  count: number;
}

export interface Handoff {
  handoffId: string;
  sessionKey: string;
  reason: string;
  tab?: string;
  expiresAt?: number;
}

export interface Frame {
  sessionKey: string;
  tab?: string;
  frameId: number;
  at: number;
  width: number;
  height: number;
  mimeType: string;
  data: string;
  url?: string;
}

export interface Tool {
  name: string;
  description: string;
  inputSchema: Facts;
  asks?: boolean;
}

export interface ToolResult {
  ok: boolean;
  text: string;
  attachments?: Attachment[];
  callId?: string;
}
