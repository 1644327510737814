import { DAY_MS, HOUR_MS } from "../../base/days.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Job } from "../../base/jobs.ts";
import type { AuditApp } from "./audit.ts";
import { endTimes } from "../session.ts";
import type { AccessApp } from "../store.ts";

/** Rows that are removed in one transaction. */
const STEP = 1000;

/** Removes rows every hour; `clear` returns whether any are left. */
function hourly(name: string, clear: () => Promise<boolean>): Job {
  return {
    name,
    every: HOUR_MS,
    async run() {
      while (await clear()) await yieldToEventLoop();
    },
  };
}

/** The job that removes sessions, sign-in links and logins that have ended. */
export function expiredSessionsJob({ store, now }: AccessApp): Job {
  return hourly("sessions", () => store.sessions.clearEnded({ ...endTimes(now()), now: now() }, STEP));
}

/** The job that removes invitations that have expired. */
export function expiredInvitationsJob({ store, now }: AccessApp): Job {
  return hourly("invitations", () => store.invitations.clearExpired(now(), STEP));
}

/** The job that removes entries after so many days. The newest of them stays, to which the next one is chained. */
export function auditExpiryJob({ store, now }: AuditApp, days: number): Job {
  return hourly("audit", () => store.audit.prune(now() - days * DAY_MS, STEP));
}
