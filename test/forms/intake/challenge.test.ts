import { beforeAll, describe, expect, test } from "bun:test";
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Challenge, Solution } from "altcha-lib/types";
import * as fc from "fast-check";
import { createChallengeKeys, createChallenger } from "../../../src/forms/intake/challenge.ts";

type Sent = { challenge: Challenge; solution: Solution };

const HOUR = 3_600_000;
const FORM = "abcdefghijklmnopqrstuvwx";
const OTHER_FORM = "xwvutsrqponmlkjihgfedcba";

const clock = { now: Date.parse("2026-01-02T03:04:05.678Z") };
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
/** Chooses the lowest counter, so that solving takes the shortest time. */
const lowest = (length: number) => new Uint8Array(length);
const keys = createChallengeKeys(random);
const { create, verify } = createChallenger(keys, { now: () => clock.now, random: lowest });

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

async function solve(challenge: Challenge): Promise<Sent> {
  const solution = await solveChallenge({ challenge, deriveKey });
  expect(solution).not.toBeNull();
  return { challenge, solution: solution! };
}

/** One solved challenge, and the same as a payload. */
let sent: Sent;
let payload: string;

beforeAll(async () => {
  sent = await solve(await create(FORM));
  payload = encode(sent);
});

/** The nonce as it was created, with its expiry in whole seconds. */
const solved = () => ({
  nonce: sent.challenge.parameters.nonce,
  expiresAt: Date.parse("2026-01-02T04:04:05Z"),
});

describe("a challenge", () => {
  test("is for one form, takes 2,000 iterations a counter and expires after an hour", async () => {
    expect((await create(FORM)).parameters).toMatchObject({
      algorithm: "PBKDF2/SHA-256",
      cost: 2000,
      data: { form: FORM },
      expiresAt: Math.floor((clock.now + HOUR) / 1000),
    });
  });

  test("differs each time in nonce and salt", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => create(FORM)));
    expect(new Set(made.map(({ parameters }) => parameters.nonce)).size).toBe(20);
    expect(new Set(made.map(({ parameters }) => parameters.salt)).size).toBe(20);
  });

  test("is solved by a counter from 1,000 to 5,000, which nothing in it shows", async () => {
    expect(sent.solution.counter).toBe(1000);
    expect(JSON.stringify(sent.challenge)).not.toContain("counter");
    const at = async (number: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(number);
      const one = createChallenger(keys, { now: () => clock.now, random: () => bytes });
      const challenge = await one.create(FORM);
      const near = 1000 + (number % 4001);
      return (await solveChallenge({ challenge, deriveKey, counterStart: near - 1 }))?.counter;
    };
    expect(await at(4000)).toBe(5000);
    expect(await at(4001)).toBe(1000);
    expect(await at(0xffffffff)).toBe(1000 + (0xffffffff % 4001));
  });

  test("shows neither of the secrets", () => {
    expect(JSON.stringify(sent)).not.toContain(keys.signature);
    expect(JSON.stringify(sent)).not.toContain(keys.keySignature);
  });
});

test("the secrets are 256 random bits each", () => {
  const made = [keys, createChallengeKeys(random)].flatMap(({ signature, keySignature }) => [
    signature,
    keySignature,
  ]);
  expect(new Set(made).size).toBe(4);
  for (const secret of made) expect(secret).toMatch(/^[\w-]{43}$/);
});

describe("a solved challenge", () => {
  test("is accepted with its nonce and its expiry", () => {
    expect(verify(FORM, payload)).toEqual(solved());
  });

  test("is accepted after a restart with the same secrets", () => {
    expect(createChallenger({ ...keys }, { now: () => clock.now, random }).verify(FORM, payload)).toEqual(
      solved(),
    );
  });

  test("is refused where either secret differs", () => {
    const other = createChallengeKeys(random);
    for (const changed of [{ signature: other.signature }, { keySignature: other.keySignature }]) {
      const challenger = createChallenger({ ...keys, ...changed }, { now: () => clock.now, random });
      expect(challenger.verify(FORM, payload)).toBeNull();
    }
  });

  test("is refused for another form", () => {
    expect(verify(OTHER_FORM, payload)).toBeNull();
    expect(verify("", payload)).toBeNull();
    expect(verify("__proto__", payload)).toBeNull();
  });

  test("is accepted until it expires, by the clock that was passed in", () => {
    const at = (now: number) => createChallenger(keys, { now: () => now, random }).verify(FORM, payload);
    const { expiresAt } = solved();
    expect(at(expiresAt - 1)).toEqual(solved());
    expect(at(expiresAt)).toBeNull();
    expect(at(expiresAt + 10 * HOUR)).toBeNull();
  });

  test("is refused when any parameter was altered, left out or added", () => {
    const { parameters, signature } = sent.challenge;
    const altered: Record<string, unknown>[] = [
      { ...parameters, extra: 1 },
      { ...parameters, nonce: parameters.nonce.toUpperCase() },
      { ...parameters, nonce: [parameters.nonce] },
      { ...parameters, expiresAt: parameters.expiresAt! + HOUR },
      { ...parameters, expiresAt: String(parameters.expiresAt) },
      { ...parameters, cost: 1 },
      { ...parameters, data: { form: OTHER_FORM } },
      { ...parameters, data: { form: FORM, challengeId: "another" } },
      JSON.parse(`{"__proto__": {}, ${JSON.stringify(parameters).slice(1)}`) as Record<string, unknown>,
    ];
    for (const name of Object.keys(parameters)) {
      altered.push({ ...parameters, [name]: undefined }, { ...parameters, [name]: null });
    }
    for (const each of altered) {
      const changed = encode({ ...sent, challenge: { parameters: each, signature } });
      expect(verify(FORM, changed)).toBeNull();
      expect(verify(OTHER_FORM, changed)).toBeNull();
    }
  });

  test("is refused with another signature or key", () => {
    const { challenge, solution } = sent;
    const texts = ["", "00", "f".repeat(64), "é".repeat(64), solution.derivedKey.slice(0, 32), FORM];
    for (const text of texts) {
      expect(verify(FORM, encode({ challenge: { ...challenge, signature: text }, solution }))).toBeNull();
      expect(verify(FORM, encode({ challenge, solution: { ...solution, derivedKey: text } }))).toBeNull();
    }
    const guessed = challenge.parameters.keyPrefix.padEnd(64, "0");
    expect(verify(FORM, encode({ challenge, solution: { counter: 1000, derivedKey: guessed } }))).toBeNull();
  });

  test("is refused with the solution of another challenge", async () => {
    const another = await create(FORM);
    expect(verify(FORM, encode({ challenge: another, solution: sent.solution }))).toBeNull();
  });

  test("has one nonce in every spelling", () => {
    const { challenge, solution } = sent;
    const { parameters, signature } = challenge;
    const backwards = Object.fromEntries(Object.entries(parameters).toReversed());
    const json = JSON.stringify(sent);
    const spellings = [
      encode({ solution, challenge: { signature, parameters: backwards } }),
      encode({ ...sent, id: "another", challenge: { ...challenge, codeChallenge: {} } }),
      encode({ challenge, solution: { ...solution, counter: 7, time: 1e300 } }),
      encode({ challenge, solution: { ...solution, derivedKey: solution.derivedKey.toUpperCase() } }),
      Buffer.from(JSON.stringify(sent, null, 2)).toString("base64"),
      Buffer.from(json.replace('"cost":2000', '"cost":1,"cost":2e3')).toString("base64"),
      Buffer.from(json.replace('"nonce"', '"\\u006eonce"')).toString("base64"),
      Buffer.from(`${json} `).toString("base64url"),
      `${payload.replace(/=+$/, "")}====`,
      payload.replace(/.{76}/g, "$&\r\n"),
      ` ${payload} `,
    ];
    for (const spelling of spellings) expect(verify(FORM, spelling)).toEqual(solved());
  });
});

describe("a payload is refused that", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  test.each([
    ["is missing", ""],
    ["is not base64", "%%%"],
    ["is not JSON", base64("{")],
    ["is not UTF-8", Buffer.from([0xff, 0xfe, 0x00]).toString("base64")],
    ["is null", base64("null")],
    ["is a number", base64("1")],
    ["is a number too large", base64("1e999")],
    ["is an array", base64("[]")],
    ["is empty", base64("{}")],
    ["holds only a prototype", base64('{"__proto__":{"challenge":{},"solution":{}}}')],
    ["is marked as a test", base64('{"challenge":null,"solution":null,"test":true}')],
    ["comes from a verifying server", base64('{"verificationData":"verified=true","verified":true}')],
    ["is of version 1", base64('{"algorithm":"SHA-256","challenge":"00","number":0,"salt":"00"}')],
    ["is not signed", base64('{"challenge":{"parameters":{}},"solution":{"derivedKey":"00"}}')],
    [
      "has names of the prototype",
      base64(
        '{"challenge":{"parameters":{"toString":1,"toJSON":2},"signature":"a"},"solution":{"derivedKey":"00"}}',
      ),
    ],
    ["is nested deeply", base64("[".repeat(3000))],
    [
      "has deeply nested parameters",
      base64(
        `{"challenge":{"parameters":{"a":${"[".repeat(1400)}${"]".repeat(1400)}},"signature":""},"solution":{"derivedKey":""}}`,
      ),
    ],
    ["is large", "A".repeat(1_000_000)],
  ])("%s", (_, hostile) => {
    expect(verify(FORM, hostile)).toBeNull();
  });

  test("is larger than any that a widget sends, even if it is solved", () => {
    expect(payload.length).toBeLessThan(1000);
    expect(verify(FORM, encode({ ...sent, padding: "x".repeat(4096) }))).toBeNull();
  });
});

test("no JSON is accepted, and none makes the check fail", () => {
  const mangled = fc.tuple(
    fc.constantFrom("parameters", "signature", "derivedKey", "solution", "challenge"),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(mangled, ([where, value]) => {
      const { challenge, solution } = sent;
      const changed = {
        parameters: { challenge: { ...challenge, parameters: value }, solution },
        signature: { challenge: { ...challenge, signature: value }, solution },
        derivedKey: { challenge, solution: { ...solution, derivedKey: value } },
        solution: { challenge, solution: value },
        challenge: { challenge: value, solution },
      }[where];
      expect(verify(FORM, encode(changed))).toBeNull();
    }),
  );
  fc.assert(fc.property(fc.jsonValue(), (value) => verify(FORM, encode(value)) === null));
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => verify(FORM, text) === null));
});

test("a payload with one changed byte is refused or has the same nonce", () => {
  const bytes = Buffer.from(JSON.stringify(sent));
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const changed = Buffer.from(bytes);
      changed[at] = bytes[at]! ^ mask;
      const result = verify(FORM, changed.toString("base64"));
      expect([null, solved().nonce]).toContain(result?.nonce ?? null);
    }),
  );
});
