import { AppError } from "../../src/base/errors.ts";
import type { Input, Operation, Output, Query, Schemas } from "../../src/operations/operation.ts";
import type { ProposalView } from "../../src/documents/changes/proposal.ts";
import { shown } from "../output/text.ts";
import { usage } from "./usage.ts";

type At<T> = {
  value: T;
  /** NaN of an answer that has none. */
  revision: number;
  /** How many flags the answer leaves out, where it says so. */
  omitted?: number | undefined;
};

/** The revision that a tag names; NaN for one that names something else, as the fingerprint of a promotion does. */
export function revisionIn(tag: string | undefined): number {
  return tag !== undefined && /^\d{1,15}$/.test(tag) ? Number(tag) : Number.NaN;
}

/** Request of an operation. */
export type Sent = {
  names?: Record<string, string>;
  query?: Query;
  body?: unknown;
  revision?: number | undefined;
  /** The etag of a proposed change, in place of a revision. */
  etag?: string;
  /** Confirmations of the caller, separated by commas. */
  confirmed?: string;
  why?: string | undefined;
  /** The client that makes the change, for the history. Default: `cli`. */
  source?: "mcp";
  /** For how long the change is proposed, in place of being made. */
  propose?: string | undefined;
  /** Whether the change is made without approvals. */
  bypass?: boolean;
  /** Whether it is made at once although the command proposes its change, as a step before that change. */
  isStep?: true;
  /** The secret of another token that asks, in place of the caller. */
  as?: string;
};

/** Thrown by a transport in place of an answer: the change was proposed. */
export class Proposed extends Error {
  readonly change: ProposalView;

  constructor(change: ProposalView) {
    super();
    this.change = change;
  }
}

/** A download; its size and rows are null if they are not known. */
export type Saved = { size: number | null; rows: number | null; body: ReadableStream<Uint8Array> | null };

/** Calls operations, on a server or in this process. */
export type Transport = {
  send: (operation: Operation, sent: Sent) => Promise<At<unknown>>;
  open: (operation: Operation, sent: Sent) => Promise<Saved>;
  close: () => Promise<void>;
};

/** The admin API, of a server or in this process. */
export type Client = {
  /** Returns an operation's answer. Throws its error. */
  call: <S extends Schemas, P extends string>(
    operation: Operation<S, P>,
    ...input: Given<Input<S, P>>
  ) => Promise<Output<S>>;
  /** The same, with the revision that the answer is of. */
  callAt: <S extends Schemas, P extends string>(
    operation: Operation<S, P>,
    ...input: Given<Input<S, P>>
  ) => Promise<At<Output<S>>>;
  /** As `callAt`, where the types of the operation are not known. */
  send: (operation: Operation, sent: Sent) => Promise<At<unknown>>;
  /** A download. */
  open: <S extends Schemas, P extends string>(
    operation: Operation<S, P>,
    ...input: Given<Input<S, P>>
  ) => Promise<Saved>;
};

/** An input, which may be left out if nothing of it is required. */
type Given<I> = Partial<I> extends I ? [input?: I] : [input: I];

export function clientOn({ send, open }: Transport): Client {
  const callAt = async (operation: Operation, sent: Sent = {}) => {
    requireNames(sent);
    return send(operation, sent);
  };
  const client = {
    callAt,
    send: callAt,
    call: async (operation: Operation, sent?: Sent) => (await callAt(operation, sent)).value,
    async open(operation: Operation, sent: Sent = {}) {
      requireNames(sent);
      return open(operation, sent);
    },
  };
  // Each operation has types of its own.
  return client as unknown as Client;
}

/** Throws `invalid` for names that a path does not hold. */
function requireNames({ names = {} }: Sent): void {
  for (const name of Object.values(names)) {
    // These have a meaning of their own in a path.
    if (["", ".", ".."].includes(name)) throw usage(`"${name}" is not a name`);
  }
}

/** Opens a transport on its first call, so that a command that fails before leaves no trace. */
export function lazyTransport(open: () => Promise<Transport>): Transport {
  let opened: Promise<Transport> | undefined;
  const transport = () => (opened ??= open());
  return {
    send: async (...args) => (await transport()).send(...args),
    open: async (...args) => (await transport()).open(...args),
    // The error of an opening that failed is that of the call.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

/** Confirmations of a command, and its prompt. */
export type Confirmations = {
  /** Locked environments that may be changed. */
  locked: string[];
  /** Whether deletions are confirmed. */
  yes: boolean;
  /** Returns once the person confirms; null without a terminal. */
  confirm: ((question: string) => Promise<void>) | null;
  note: (text: string) => void;
};

/** The reasons for which a change is refused because it deletes submissions. */
const DELETIONS: ReadonlySet<string | null> = new Set(["form-unconfirmed", "project-unconfirmed"]);
/** The reason of each change of a command, and whether it is proposed or bypasses approvals. */
export type Explanation = { why: string | undefined; propose: string | undefined; bypass: boolean };

/**
 * A transport that confirms changes: of the locked environments that are named, what deletes submissions with `yes`, and
 * everything else once `confirm` returns. What is not confirmed fails with the error of the API. `why` goes with each
 * change.
 */
export function confirming(
  transport: Transport,
  { locked, yes, confirm, note }: Confirmations,
  { why, propose, bypass }: Explanation,
): Transport {
  let confirmed = locked.join(",");
  return {
    ...transport,
    async send(operation, { isStep, ...sent }) {
      const isChange = operation.method !== "GET";
      const send = (names: string) =>
        transport.send(operation, {
          ...(names !== "" && { confirmed: names }),
          ...sent,
          ...(isChange && why !== undefined && { why }),
          // Some reads are sent as POST.
          ...(isChange && !isStep && operation.scope !== "flags:read" && { propose, bypass }),
        });
      try {
        return await send(confirmed);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "unconfirmed") throw error;
        // A document has a confirmation of its own.
        if (error.reason === "document-unconfirmed") throw error;
        const isLock = !DELETIONS.has(error.reason);
        if (!isLock && yes) note(shown`${error.message}\n`);
        else if (confirm) await confirm(`${error.message}. Change it all the same?`);
        else throw error;
        if (isLock) confirmed = "*";
        const { project } = sent.names ?? {};
        // Without the locks, which have names of their own.
        const isOfProject = error.reason === "project-unconfirmed" && project !== undefined;
        return send(isOfProject ? [confirmed, project].filter((name) => name !== "").join(",") : "*");
      }
    },
  };
}
