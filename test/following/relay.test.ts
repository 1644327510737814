import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { setClock } from "../../src/base/clock.ts";
import { createAssignments, createSealedAssignments } from "../../src/experiments/assignment.ts";
import { type EnvironmentHead, type Moment, PROTOCOL, lineOf } from "../../src/following/lines.ts";
import { type Journal, openJournal } from "../../src/following/relay/journal.ts";
import { Relay } from "../../src/following/relay/relay.ts";
import { Spool } from "../../src/following/relay/spool.ts";
import { linesOf } from "../../src/following/relay/state.ts";
import { tempDirectory } from "../support/temp.ts";

const NOW = Date.parse("2026-01-02T03:04:05.678Z");
const KEY = "abcd-efgh-ijkl";

const flag = (slug: string, revision: number) => ({
  slug,
  description: "",
  enabled: true,
  payload: null,
  expiresAt: null,
  rules: null,
  imported: false,
  browser: false,
  requires: "",
  revision,
  createdAt: NOW,
  updatedAt: NOW,
});
const head = (revision: number): EnvironmentHead => ({
  key: KEY,
  projectKey: "key",
  place: "shop/live",
  revision,
  metadata: "{}",
  segments: [],
});
const moment = (version: number, now = NOW): Moment => ({
  version,
  access: 1,
  memberships: 0,
  now,
  behind: 0,
});
const projects = [{ slug: "shop", key: "key", environments: [{ slug: "live", key: KEY, sealing: "" }] }];

/** The lines of a whole state with some flags. */
const whole = (version: number, ...slugs: string[]) => [
  lineOf({ follow: PROTOCOL }),
  lineOf({ projects }),
  lineOf({ environment: head(version), gone: [] }),
  lineOf({ flagsOf: KEY, flags: slugs.map((slug) => flag(slug, version)) }),
  lineOf({ at: moment(version) }),
];
const changed = (version: number, slug: string, gone: string[] = []) => [
  lineOf({ environment: head(version), gone }),
  lineOf({ flagsOf: KEY, flags: [flag(slug, version)] }),
  lineOf({ at: moment(version) }),
];
const give = async (relay: Relay, lines: string[]) => {
  for (const line of lines) await relay.take(line.trimEnd());
};
const journals: Journal[] = [];
const slugsOf = (relay: Relay) => relay.state.environments.get(KEY)?.flags.map(({ slug }) => slug);

function open(file = join(tempDirectory(), "state")): {
  relay: Relay;
  file: string;
  journal: Journal;
  errors: unknown[];
} {
  const journal = openJournal(file, "https://source");
  journals.push(journal);
  const errors: unknown[] = [];
  return { relay: new Relay(journal, (error) => errors.push(error)), file, journal, errors };
}

afterEach(async () => {
  setClock();
  for (const journal of journals.splice(0)) await journal.close();
});

describe("the state of a relay", () => {
  test("changes with the moment that ends a change, and is on the disk before it shows", async () => {
    const { relay, file } = open();
    expect(relay.hasState).toBe(false);
    await give(relay, whole(5, "b", "a"));
    expect(slugsOf(relay)).toEqual(["a", "b"]);
    const change = changed(6, "c", ["a"]);
    await give(relay, change.slice(0, -1));
    expect(slugsOf(relay)).toEqual(["a", "b"]);
    await give(relay, change.slice(-1));
    expect(slugsOf(relay)).toEqual(["b", "c"]);
    expect(slugsOf(open(file).relay)).toEqual(["b", "c"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("is read up to what a crash has cut off, at any byte", async () => {
    const { relay, file } = open();
    await give(relay, whole(5, "a"));
    const before = statSync(file).size;
    await give(relay, changed(6, "b"));
    const text = readFileSync(file, "utf8");
    for (let size = text.length - 2; size >= before; size -= 1) {
      truncateSync(file, size);
      expect(slugsOf(open(file).relay)).toEqual(["a"]);
    }
    const again = open(file);
    await give(again.relay, whole(6, "a", "b"));
    await give(again.relay, changed(7, "c"));
    expect(slugsOf(open(file).relay)).toEqual(["a", "b", "c"]);
  });

  test("of another release, or on a disk that spoiled it, is left to the source", async () => {
    const { relay, file } = open();
    await give(relay, whole(5, "a"));
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/\{"follow":\d+\}/, '{"follow":99}'));
    expect(open(file).relay.hasState).toBe(false);
    writeFileSync(file, text + lineOf({ projects: 5 } as never) + lineOf({ at: moment(6) }));
    expect(slugsOf(open(file).relay)).toEqual(["a"]);
  });

  test("is not that of another source", async () => {
    const { relay, file } = open();
    await give(relay, whole(5, "a"));
    expect(openJournal(file, "https://other").read()).toBeNull();
  });

  test("is written anew where changes have made the file long, and is the same then", async () => {
    const { relay, file } = open();
    await give(relay, whole(1, "a"));
    const long = "x".repeat(1_000_000);
    for (let version = 2; version < 20; version += 1)
      await give(relay, [
        lineOf({ environment: head(version), gone: [] }),
        lineOf({ flagsOf: KEY, flags: [{ ...flag("a", version), description: long }] }),
        lineOf({ at: moment(version) }),
      ]);
    expect(statSync(file).size).toBeLessThan(12_000_000);
    expect([...linesOf(open(file).relay.state)]).toEqual([...linesOf(relay.state)]);
  });

  test("keeps the same objects where a new stream brings the same, and drops all where the source went back", async () => {
    const { relay } = open();
    await give(relay, whole(5, "a"));
    const watch = relay.watch();
    const [before, known] = [relay.state.environments.get(KEY), watch.last()!];
    relay.begin();
    await give(relay, whole(5, "a"));
    expect(relay.state.environments.get(KEY)).toBe(before);
    expect(watch.last()!.generation).toBe(known.generation);
    relay.begin();
    await give(relay, whole(5, "other"));
    expect(watch.last()!.generation).toBe(known.generation + 1);
    let steady = 1000;
    setClock({ steady: () => steady });
    const goBack = () => {
      relay.begin();
      return give(relay, whole(4, "a"));
    };
    for (const ms of [0, 4000]) {
      steady += ms;
      expect((await goBack().catch(String)) ?? "taken").toContain("an earlier state");
    }
    expect(slugsOf(relay)).toEqual(["other"]);
    steady += 1500;
    await goBack();
    expect(watch.last()!.generation).toBe(known.generation + 2);
  });

  test("never goes back to that of a server which does not hear of changes itself", async () => {
    const { relay } = open();
    let steady = 0;
    setClock({ steady: () => steady });
    await give(relay, whole(5, "new"));
    for (; steady <= 20_000; steady += 4000) {
      relay.begin();
      for (const version of [4, 6]) {
        // What it has in memory may be from before its version.
        const lines = [...whole(4, "old").slice(0, -1), lineOf({ at: { ...moment(version), behind: 9000 } })];
        expect((await give(relay, lines).catch(String)) ?? "taken").toContain("an earlier state");
        relay.begin();
      }
    }
    expect(slugsOf(relay)).toEqual(["new"]);
  });

  test("drops what was made of flags from before their version", async () => {
    const { relay } = open();
    await give(relay, [...whole(4, "old").slice(0, -1), lineOf({ at: { ...moment(5), behind: 9000 } })]);
    const { generation } = relay.watch().last()!;
    relay.begin();
    await give(relay, whole(5, "new"));
    expect(relay.watch().last()!.generation).toBe(generation + 1);
  });

  test("is written anew after its file was removed", async () => {
    const { relay, file } = open();
    await give(relay, whole(5, "a"));
    rmSync(file);
    let steady = 1_000_000;
    setClock({ steady: () => (steady += 60_000) });
    await give(relay, [lineOf({ at: moment(5) })]);
    await give(relay, changed(6, "b"));
    expect([slugsOf(relay), slugsOf(open(file).relay)]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("shows although the disk takes nothing, which is reported", async () => {
    const { relay, errors } = open("/nonexistent-directory/state");
    await give(relay, whole(5, "a"));
    expect(slugsOf(relay)).toEqual(["a"]);
    expect(errors).toHaveLength(1);
  });

  test("is forgotten once the source refuses the token", async () => {
    const { relay, file } = open();
    await give(relay, whole(5, "a"));
    const opened = spyOn(process.getBuiltinModule("node:fs/promises"), "open");
    await relay.empty();
    expect([slugsOf(relay), existsSync(file)]).toEqual([undefined, false]);
    // The directory is synced, so that a power cut does not bring it back.
    expect(opened.mock.calls).toEqual([[dirname(file), "r"]]);
    opened.mockRestore();
    await give(relay, whole(5, "a"));
    expect([slugsOf(relay), slugsOf(open(file).relay)]).toEqual([["a"], ["a"]]);
  });

  test("has the time of its source where the clock is wrong, and its own where it is nearly right", async () => {
    let wall = NOW;
    setClock({ now: () => wall });
    const { relay } = open();
    await give(relay, whole(5, "a"));
    expect(relay.now()).toBe(NOW);
    for (const hours of [-30, 30]) {
      wall = NOW + hours * 3_600_000;
      await give(relay, [lineOf({ at: moment(5, NOW + 1000) })]);
      expect(relay.now()).toBe(NOW + 1000);
    }
    wall = NOW + 400;
    await give(relay, [lineOf({ at: moment(5, NOW) })]);
    expect(relay.now()).toBe(NOW + 400);
  });

  test("is behind since the source was heard, also by the source of that one, and before a start", async () => {
    let [steady, wall] = [1000, NOW];
    setClock({ steady: () => steady, now: () => wall });
    const { relay, file } = open();
    await give(relay, whole(5, "a"));
    expect(relay.behind()).toBe(0);
    steady += 4000;
    expect([relay.behind(), relay.isSilent(0)]).toEqual([0, false]);
    steady += 2000;
    expect(relay.isSilent(0)).toBe(true);
    relay.lose();
    expect(relay.behind()).toBe(6000);
    await give(relay, [lineOf({ at: { ...moment(5), behind: 2500 } })]);
    expect(relay.behind()).toBe(2500);
    wall += 60_000;
    expect(open(file).relay.behind()).toBeGreaterThan(50_000);
  });
});

describe("the spool of a relay", () => {
  const line = (id: string) => ({ id, tallies: [] });

  test("has every line that was added, in files that are never written to again", async () => {
    const directory = tempDirectory();
    const spool = new Spool(directory);
    await Promise.all(["a", "b", "c"].map((id) => spool.add(line(id))));
    expect(spool.next()).toBeNull();
    const again = new Spool(directory);
    const first = again.next()!;
    appendFileSync(first.file, '{"id":"cut o');
    await again.add(line("d"));
    expect((await first.read()).split("\n").map((each) => each.slice(7, 8))).toEqual(["a", "b", "c", ""]);
    await first.remove();
    expect(again.next()).toBeNull();
    await Promise.all([again.turn(), spool.turn()]);
    expect(await again.next()!.read()).toBe(`${JSON.stringify(line("d"))}\n`);
    await again.next()!.refuse();
    expect([again.next(), again.size]).toEqual([null, 0]);
  });
});

describe("an assignment that a relay seals", () => {
  const source = createAssignments("a secret");
  const relay = createSealedAssignments((key) => (key === KEY ? source.sealingKeyOf(KEY) : ""));
  const variants = [["hero", "b"]] as const;
  const sealed = relay.sign({ environmentKey: KEY, pseudonym: "visitor-one", variants }, NOW);

  test("is read by the source with the pseudonym of its visitor, and by the relay", () => {
    const at = Date.parse("2026-01-02T03:04:00.000Z");
    const expected = { environmentKey: KEY, at, variants: [...variants] };
    expect(source.read(sealed, NOW)).toEqual({
      ...expected,
      pseudonym: source.pseudonymOf(KEY, "visitor-one"),
    });
    expect(relay.read(sealed, NOW)).toEqual({ ...expected, pseudonym: "visitor-one" });
    const nobody = relay.sign({ environmentKey: KEY, pseudonym: null, variants: [] }, NOW);
    expect(source.read(nobody, NOW)).toEqual({ ...expected, variants: [], pseudonym: null });
  });

  test("shows no one the visitor, and is no other text, no older one and none of another environment", () => {
    expect(sealed).not.toContain("visitor-one");
    const others = [
      `${sealed}A`,
      sealed.slice(0, -2),
      `x${sealed}`,
      sealed.replace(".", ".A"),
      `${KEY}.`,
      ".",
    ];
    for (const text of others) expect([text, source.read(text, NOW)]).toEqual([text, null]);
    expect(source.read(sealed, NOW + 8 * 86_400_000)).toBeNull();
    expect(createAssignments("another").read(sealed, NOW)).toBeNull();
    expect(relay.read(sealed.replace(KEY, "other-key"), NOW)).toBeNull();
  });

  test("has as many variants as fit, and no visitor with a key that is too long", () => {
    const many = Array.from({ length: 900 }, (_, index) => [`flag-${index}`, "on"] as const);
    const text = relay.sign({ environmentKey: KEY, pseudonym: "u".repeat(501), variants: many }, NOW);
    expect(text.length).toBeLessThanOrEqual(4096);
    const read = source.read(text, NOW)!;
    expect(read.pseudonym).toBeNull();
    expect(read.variants.length).toBeGreaterThan(150);
    expect(read.variants).toEqual(many.slice(0, read.variants.length));
  });
});
