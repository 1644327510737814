import type { Database } from "bun:sqlite";
import type { ClaimedDelivery, OutboxTurn } from "../../../src/delivery/store.ts";
import type { Sending } from "./receivers.ts";
import type { Process } from "./scheduler.ts";

/** For how long after a withdrawal a process that has looked before may send, in milliseconds. */
const WITHDRAWN = 15_000;

/** For how long what goes wrong explains that a lease has ended, in milliseconds: twice as long as a lease. */
const EXCUSED = 60_000;

type Row = { status: number; holder: string | null; attempts: number; due_at: number; target: string | null };

type Watched = {
  db: Database;
  violated: (text: string) => void;
  now: () => number;
  /** When what is sent of a submission, or to a URL, was last taken from its sender. */
  withdrawn: (what: string) => number;
};

/** Watches that a lease is held by the one who sends, and that what was sent and recorded is not sent again. */
export function watchLeases({ db, violated, now, withdrawn: takenBackAt }: Watched) {
  const ended = new Set<string>();
  const ids = new Map<string, string>();
  const query = db.query<Row, [Uint8Array]>(
    "SELECT status, holder, attempts, due_at, target FROM deliveries WHERE id = ?",
  );
  const withdrawn = db.query<{ spam: number; disabled: number }, [Uint8Array]>(
    `SELECT s.state = 1 AS spam, t.enabled = 0 AS disabled FROM deliveries d
     JOIN submissions s ON s.seq = d.submission_seq JOIN targets t ON t.id = d.target WHERE d.id = ?`,
  );
  const bytesOf = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");
  const rowOf = (id: string) => query.get(bytesOf(id));
  /** What a turn must not touch: deliveries that others hold, or that have ended. */
  let others: [id: string, row: Row][] = [];

  return {
    sending({ name: holder, troubleAt: ownTroubleAt }: Process, { id, about, url }: Sending): void {
      const row = rowOf(id);
      // Several targets of a form may have one URL.
      const recipient = `${about} ${row?.target ?? url}`;
      // A process that was paused between its claim and the request does not know that its lease has ended.
      if (ended.has(id) && now() - ownTroubleAt > EXCUSED)
        violated(`${id} is sent although its result was recorded`);
      if (ids.has(recipient) && ids.get(recipient) !== id)
        violated(`${recipient} is sent as ${id} and as ${ids.get(recipient)}`);
      ids.set(recipient, id);
      const takenAt = Math.max(ownTroubleAt, takenBackAt(about), takenBackAt(url));
      const is = withdrawn.get(bytesOf(id));
      if (is && (is.spam === 1 || is.disabled === 1))
        if (now() - takenAt > WITHDRAWN)
          violated(`${id} is sent although it was withdrawn: ${JSON.stringify(is)}`);
      if (row?.status === 0 && row.holder === holder) return;
      // What is queued was taken from the sender: only its own trouble excuses that.
      const excuse = row?.status === 0 ? ownTroubleAt : takenAt;
      if (now() - excuse > EXCUSED)
        violated(`${id} is sent by ${holder}, and held as ${JSON.stringify(row)}`);
    },
    beforeTurn(holder: string, { settled }: OutboxTurn): void {
      others = settled.flatMap(({ id }) => {
        const row = rowOf(id);
        return row && (row.status > 0 || row.holder !== holder) ? [[id, row] as [string, Row]] : [];
      });
    },
    afterTurn(holder: string, { settled }: OutboxTurn, claimed: readonly ClaimedDelivery[]): void {
      for (const [id, row] of others) {
        const isClaimed = claimed.some((each) => each.id === id);
        if (!isClaimed && JSON.stringify(rowOf(id)) !== JSON.stringify(row))
          violated(`${holder} records the result of ${id}, which was ${JSON.stringify(row)}`);
      }
      for (const each of settled)
        if (each.status === "delivered" && rowOf(each.id)?.status === 1) ended.add(each.id);
      for (const { id } of claimed) {
        if (ended.has(id)) violated(`${id} is claimed by ${holder} although it has ended`);
        if (rowOf(id)?.holder !== holder) violated(`${id} is claimed by ${holder}, and not recorded as its`);
      }
    },
    /** Somebody may send again what has ended. */
    retried: (ids: readonly string[]) => ids.forEach((id) => ended.delete(id)),
  };
}
