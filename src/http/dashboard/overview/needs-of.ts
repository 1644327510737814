import type { Caller } from "../../../access/caller.ts";
import { hasScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { keepLast } from "../../../base/keep.ts";
import { type Finding, warning } from "../../../maintenance/finding.ts";
import { NO_BACKUPS } from "../../../maintenance/status.ts";
import type { Need } from "../../../operations/today/need.ts";
import { findNeeds } from "../../../operations/today/needs.ts";
import type { DashboardOptions } from "../dashboard-env.ts";

export type Needs = {
  /** The needs of a caller, the worst first. */
  of: (caller: Caller) => Promise<Need[]>;
  /** Their number when they were last read. No page waits for it. */
  countFor: (caller: Caller) => number;
};

/** Milliseconds after which the server is checked again, and after which needs are counted again. */
const CHECKED_MS = 300_000;
const COUNTED_MS = 30_000;
/** Callers whose numbers are kept. */
const CALLERS = 200;

const known = new WeakMap<DashboardOptions, Needs>();

/** A warning about users who cannot come back without a link, where no other service signs them in. */
export async function usersFinding({ store }: App, { oidc, proxy }: DashboardOptions): Promise<Finding[]> {
  if (oidc !== null || proxy !== null) return [];
  const { all, withoutWay } = await store.users.counts();
  if (withoutWay === 0) return [];
  const count = `${withoutWay.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  return [
    warning(
      "users",
      `users without a password and a passkey: ${count}. They need a link to sign in again`,
      "each sets one under their name at the foot of the navigation; a new link: formflag users link",
    ),
  ];
}

/** The needs that the pages of one dashboard share. */
export function needsFor(app: App, options: DashboardOptions): Needs {
  const needs = known.get(options) ?? createNeeds(app, options);
  known.set(options, needs);
  return needs;
}

function createNeeds(app: App, options: DashboardOptions): Needs {
  let findings: readonly Finding[] = [];
  let checkedAt = Number.NEGATIVE_INFINITY;
  const lastFindings = () => {
    if (app.now() - checkedAt >= CHECKED_MS) {
      checkedAt = app.now();
      // A check that fails is repeated later, and the page Health shows its error.
      options.findings(false).then(
        (found) => (findings = found),
        () => {},
      );
    }
    return findings;
  };
  const keep = keepLast<{ count: number; at: number }>(CALLERS);
  const keptFor = ({ name, grants }: Caller) =>
    keep(JSON.stringify([name, grants]), () => ({ count: 0, at: Number.NEGATIVE_INFINITY }));
  const of = async (caller: Caller) => {
    const kept = keptFor(caller);
    kept.at = app.now();
    const backup = options.status?.().backup ?? NO_BACKUPS;
    const findings = async () => [...lastFindings(), ...(await usersFinding(app, options))];
    const server = hasScope(caller, "admin") ? { findings: await findings(), backup } : null;
    const sendsMail = async () => (await options.outgoing()).mail !== null;
    const needs = await findNeeds(app, caller, server, sendsMail);
    kept.count = needs.length;
    return needs;
  };
  return {
    of,
    countFor(caller) {
      const kept = keptFor(caller);
      if (app.now() - kept.at >= COUNTED_MS) of(caller).catch(() => {});
      return kept.count;
    },
  };
}
