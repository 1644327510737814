import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { hourOf } from "../../../src/base/days.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { OPERATOR, ask } from "../world/asking.ts";
import type { World } from "../world/world.ts";
import type { RelayProcess } from "./relay-process.ts";

export const PLACE = { project: "shop", environment: "live" };
export const FLAGS = ["sale", "search", "beta"];
export const READERS = ["app", "site"];
/** Milliseconds from the end of a fault until a stream is either up or known to be lost. */
const CALM = 2000;
/** After how long what was acknowledged counts at a relay that is up: a change, and that it may read no more, in milliseconds. */
const SHOWN = 1000;
const REFUSED = 5000;

/** When something was acknowledged, and whether the relay has to hear of it unless something goes wrong. */
type Acknowledged = { at: number; isHeard: boolean };
type Granted = { name: string; secret: string; since: Acknowledged; revoked: Acknowledged | null };

/** What people do at the source, and readers at the relay, whose answers are checked as they come. */
export function createWork(world: World, relayNow: () => RelayProcess) {
  const { scheduler, violated, db } = world;
  const { chance } = scheduler;
  const written = new Map<string, Acknowledged & { revision: number }>();
  const shown = new Map<string, number>();
  const server = () => chance.pick(world.servers);
  let numbers = 0;
  const next = () => (numbers += 1);

  const acknowledged = (): Acknowledged => {
    const { relay, process } = relayNow();
    return { at: scheduler.now(), isHeard: relay.isUp && !process.isDead };
  };
  const isDue = (acked: Acknowledged | null | undefined, after: number): boolean =>
    acked?.isHeard === true && world.troubleAt + CALM < acked.at && scheduler.now() > acked.at + after;
  const grant = async (about: string): Promise<void> => {
    const name = `${about}-${next()}`;
    const scope = about === "relay" ? ("flags:sync" as const) : ("flags:evaluate" as const);
    const input = { name, scopes: [scope], ...PLACE };
    const { value } = await ask(world, server(), ({ app }) => createToken(app, OPERATOR, input));
    if (value) work.tokens.set(about, { name, secret: value.token, since: acknowledged(), revoked: null });
  };
  /** Returns whether it is known to be revoked. */
  const revoke = async (about: string): Promise<boolean> => {
    const token = work.tokens.get(about)!;
    // It counts before it is answered, and may count although it never is.
    token.revoked = { at: scheduler.now(), isHeard: false };
    const { code } = await ask(world, server(), ({ app }) =>
      revokeToken(app, OPERATOR, token.name, PLACE.project),
    );
    if (code === "ok") token.revoked = acknowledged();
    // Nothing is heard any more until there is another token.
    if (about === "relay") {
      for (const acked of written.values()) acked.isHeard = false;
      for (const { since } of work.tokens.values()) since.isHeard = false;
    }
    return code === "ok" || code === "not_found";
  };
  const replace = async (about: string): Promise<void> => {
    if (await revoke(about)) await grant(about);
  };
  const count = async (environment: string): Promise<void> => {
    const { process, relay, store, killed } = relayNow();
    const variant = `v${next()}`;
    const what = `${environment}/sale`;
    const tally = { kind: "served" as const, hour: hourOf(relay.now()), what, variant, count: 1 };
    work.tallies.set(variant, "unknown");
    const adding = scheduler.as(process, () => store.tallies.add([tally]));
    const counted = adding.then(
      () => work.tallies.set(variant, "counted"),
      () => {},
    );
    await Promise.race([counted, killed]);
  };
  const keys = () =>
    db
      .query<{ project: string; environment: string }, []>(
        `SELECT p.key AS project, e.key AS environment FROM projects p
         JOIN environments e ON e.project_id = p.id AND e.slug = 'live'`,
      )
      .get()!;
  const requireRefusal = (about: string, answer: unknown) => {
    for (const [revoked, after] of [
      [work.tokens.get(about)!.revoked, SHOWN],
      [work.tokens.get("relay")!.revoked, REFUSED],
    ] as const) {
      if (!isDue(revoked, after)) continue;
      work.checks += 1;
      if (answer)
        violated(`${about} is answered ${scheduler.now() - revoked!.at} ms after a token was revoked`);
    }
  };
  const requireRevision = (flag: string, revision: number | undefined, isKnown: boolean) => {
    const known = written.get(flag);
    if (known && isKnown && isDue(known, SHOWN)) {
      work.checks += 1;
      if ((revision ?? 0) < known.revision)
        violated(`${flag} is ${revision} after ${known.revision} was acknowledged`);
    }
    if (revision === undefined) return;
    const last = shown.get(flag) ?? 0;
    if (revision < last) violated(`${flag} went back from ${last} to ${revision}`);
    if (revision > work.newest(flag)) violated(`${flag} is ${revision}, which the source does not have`);
    shown.set(flag, Math.max(last, revision));
  };

  const work = {
    /** Of the relay and of its readers. */
    tokens: new Map<string, Granted>(),
    /** What was counted, each once. */
    tallies: new Map<string, "counted" | "unknown">(),
    /** How often an answer was compared with what was acknowledged. */
    checks: 0,
    grant,
    revoke,
    replace,
    newest: (flag: string) =>
      db
        .query<{ revision: number }, [string]>(
          "SELECT max(revision) AS revision FROM changes WHERE kind = 'flag' AND environment = 'live' AND name = ?",
        )
        .get(flag)!.revision,
    async write() {
      const flag = chance.pick(FLAGS);
      const patch = { payload: `p${next()}` };
      const place = { ...PLACE, flag };
      const { value } = await ask(world, server(), ({ app }) => setFlag(app, OPERATOR, place, patch));
      const revision = value?.record.revision ?? 0;
      if (revision > (written.get(flag)?.revision ?? 0)) written.set(flag, { ...acknowledged(), revision });
    },
    /** Reads as a reader. Returns the revision of each flag, or undefined if it is refused. */
    async read(about = chance.pick(READERS)) {
      const asked = relayNow();
      const { project, environment } = keys();
      const token = work.tokens.get(about)!;
      const answer = await Promise.race([asked.read(token.secret, project, environment), asked.killed]);
      if (!asked.process.isDead) {
        scheduler.note(`${about} reads ${answer ? [...answer.values()].join(" ") : "nothing"}`);
        requireRefusal(about, answer);
        const isKnown = !token.revoked && !work.tokens.get("relay")!.revoked && isDue(token.since, SHOWN);
        for (const flag of FLAGS) requireRevision(flag, answer?.get(flag), isKnown);
        if (answer && chance.once(2)) await count(environment);
      }
      return answer ?? undefined;
    },
    /** Revokes a token, or grants another one in its place. */
    async changeTokens() {
      const about = chance.once(3) ? "relay" : chance.pick(READERS);
      await (work.tokens.get(about)!.revoked ? replace(about) : revoke(about));
    },
  };
  return work;
}
