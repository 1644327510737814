import { describe, expect, test } from "bun:test";
import {
  SUBMISSION_ID,
  createIdMemory,
  createIdSource,
  createSharedIdSource,
  creationOf,
  dashedKey,
} from "../../src/base/ids.ts";
import { random } from "../support/records/records.ts";

const many = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

describe("a dashed key", () => {
  test("is three groups of four characters of [a-z0-9]", () => {
    for (const key of many(200, () => dashedKey(random)))
      expect(key).toMatch(/^[a-z0-9]{4}(-[a-z0-9]{4}){2}$/);
  });

  test("is never the same twice and uses every character", () => {
    const keys = many(2000, () => dashedKey(random));
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys.join("").replaceAll("-", "")).size).toBe(36);
  });

  test("throws away the bytes that would make some characters likelier", () => {
    const source = [255, 252, 253, 254, 0, 35, 36, 251];
    let at = 0;
    const scripted = (length: number) => Uint8Array.from({ length }, () => source[at++ % source.length]!);
    expect(dashedKey(scripted)).toBe("a9a9-a9a9-a9a9");
  });
});

describe("the ids of submissions", () => {
  const START = Date.parse("2026-01-02T03:04:05.678Z");
  const expectAscending = (ids: string[]) => {
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  };

  test("are UUIDs of version 7 that carry the time", () => {
    const id = createIdSource(random, () => START)();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(START);
  });

  test("rise within a millisecond, also past the counter", () => {
    expectAscending(
      many(
        10_000,
        createIdSource(random, () => START),
      ),
    );
  });

  test("rise with the clock", () => {
    let now = START;
    expectAscending(
      many(
        1000,
        createIdSource(random, () => (now += 7)),
      ),
    );
  });

  test("rise when the clock goes back, and when it comes forward again", () => {
    let now = START;
    const nextId = createIdSource(random, () => now);
    const ids: string[] = [];
    for (const step of [0, -1, -86_400_000, 5, 0, 86_400_000, 1, -3, 4, 0]) {
      now += step;
      ids.push(...many(5000, nextId));
    }
    expectAscending(ids);
  });

  test("rise past the newest that another source made, also where the clock was set back by a day since", () => {
    const earlier = many(
      5000,
      createIdSource(random, () => START),
    );
    for (const back of [0, 1, 86_400_000])
      expectAscending([
        ...earlier,
        ...many(
          5000,
          createIdSource(random, () => START - back, earlier.at(-1)),
        ),
      ]);
  });

  test("go by the clock where no id was made before, or one that no clock of here has made", () => {
    // Of no time that there is, of version 4, and of version 7 with a time in the next century.
    const foreign = ["ffffffff-ffff-7fff-bfff-ffffffffffff", "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"];
    for (const newest of [null, ...foreign, "03bb2cc3-d800-7000-8000-000000000000"]) {
      const id = createIdSource(random, () => START, newest)();
      expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(START);
    }
  });

  test("of two sources differ", () => {
    const [one, other] = [createIdSource(random, () => START), createIdSource(random, () => START)];
    expect(one()).not.toBe(other());
  });
});

describe("ids that threads make together", () => {
  const START = Date.parse("2026-01-02T03:04:05.678Z");

  test("are each greater than the one before, whichever thread made it", () => {
    const memory = createIdMemory(START, null);
    let now = START;
    const threads = [0, 1, 2].map(() => createSharedIdSource(random, () => now, memory));
    const made = Array.from({ length: 10_000 }, (_, index) => {
      if (index % 7000 === 0) now += 1;
      return threads[index % 3]!();
    });
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
    expect(made.every((id) => SUBMISSION_ID.test(id))).toBe(true);
  });

  test("go on behind the newest that exists", () => {
    const newest = createIdSource(random, () => START + 5000)();
    const [memory, none] = [createIdMemory(START, newest), createIdMemory(START, null)];
    expect(createSharedIdSource(random, () => START, memory)() > newest).toBe(true);
    expect(creationOf(createSharedIdSource(random, () => START, none)())).toBe(START);
  });
});
