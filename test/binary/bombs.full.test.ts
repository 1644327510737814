import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "bun:test";
import { openRawInbox } from "../support/peers/raw.ts";

// Before what `openRawInbox` does at the end: that stops the server and removes its data.
afterAll(async () => {
  try {
    for (const each of [inbox, named]) {
      await expectOnlyAcknowledged(each);
      if (process.platform === "linux") expectLittleMemory(each);
      await expectQuietLog(each);
    }
  } finally {
    for (const { server } of [inbox, named]) await server.stop("SIGKILL");
  }
}, 60_000);
const inbox = await openRawInbox();
const { path, answersTo, isHealthy } = inbox;
// For names alone: what bombs leave takes seconds to export.
const named = await openRawInbox();
const token = (await named.commands.run("tokens", "create", "laptop")).stdout.trim();
const authorization = `Authorization: Bearer ${token}\r\n`;
const JSON_TYPE = "application/json";
const FORM = "multipart/form-data; boundary=B";

const sized = (body: string, type: string, to = `${path}?mode=rest`) =>
  `POST ${to} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Names as they stand between quotes or behind `filename*=`; each tries to begin a line, or to command a terminal. */
const EVIL = [
  `"a%0D%0AX-Evil: 1%0D%0A%0D%0A<b>"`,
  `"a\nX-Evil: 1"`,
  `"a\rX-Evil: 1"`,
  `"a\u001b[2J\u0007\u0000X-Evil"`,
  `"\u00c2\u0085X-Evil\u00e2\u0080\u00a8X-Evil\u00e2\u0080\u00ae"`,
];
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/;
const part = (parameters: string, value = "=1+1\r\nX-Evil: 1") =>
  `--B\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${value}\r\n`;
const multipartTo = (to: string, ...parts: string[]) => sized(`${parts.join("")}--B--\r\n`, FORM, to);
const multipart = (...parts: string[]) => multipartTo(`${path}?mode=rest`, ...parts);

/** Two parts with that name, which are stored. */
const namesTo = ({ path }: typeof inbox, field: string, file: string) =>
  multipartTo(`${path}?mode=rest`, part(`name=${field}`), part(`name=${field}; ${file}`));

/** A part with a name that is too long, which is refused. */
const longNameTo = ({ path }: typeof inbox, name: string) =>
  multipartTo(path, part(`name=${name.replace(/"$/, `${"x".repeat(300)}"`)}`));

async function expectOnlyAcknowledged(of: typeof inbox): Promise<void> {
  expect(await of.isHealthy()).toBe(true);
  await of.expectOnlyAcknowledged();
}

function expectLittleMemory({ server }: typeof inbox): void {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(400_000);
}

async function expectQuietLog(of: typeof inbox): Promise<void> {
  const log = await of.stopAndReadLog();
  expect(log).not.toMatch(/evil|laptop/i);
  expect(log.replaceAll("\n", "")).not.toMatch(CONTROL);
}

describe("a line break or a control character in a name", () => {
  const { commands, answersTo, submissions } = named;

  test("begins no line of a download's headers, of a table, or of the CSV, and commands no terminal", async () => {
    const names = [...EVIL.map((name) => `filename=${name}`), `filename*=UTF-8''a%0D%0AX-Evil%3A%201%00%1B`];
    for (const [index, name] of names.entries()) {
      const field = EVIL[index % EVIL.length]!;
      const { statuses } = await answersTo(namesTo(named, field, name));
      expect(statuses).toEqual([200, 404]);
    }
    const stored = (await submissions()).slice(0, names.length);
    expect(stored.filter(({ files }) => files[0]?.name.includes("X-Evil"))).toHaveLength(names.length);
    for (const { id } of stored) {
      const target = `/api/admin/v1/submissions/${id}/files/1`;
      const { statuses, head } = await answersTo(`GET ${target} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`);
      expect(statuses).toEqual([200, 404]);
      expect(head).toMatch(/^content-disposition: attachment; filename="/im);
      for (const line of head.split("\r\n")) expect(line).toMatch(/^(?!X-Evil)[\u0020-\u007e]+$/);
    }
    const tables = await Promise.all([
      commands.run("submissions", "list", "contact"),
      ...stored.map(({ id }) => commands.run("submissions", "get", id)),
    ]);
    for (const { code, stdout } of tables) {
      expect(code).toBe(0);
      expect(stdout).not.toMatch(CONTROL);
      expect(stdout).not.toMatch(/^X-Evil/m);
    }
    // A line break stays inside its cell: outside of quotes every line is a record of as many cells.
    const { stdout } = await commands.run("submissions", "export", "contact", "--format", "csv");
    const records = stdout.replaceAll(/"(?:[^"]|"")*"/g, "cell").split(/\r\n|[\r\n]/);
    expect(records.pop()).toBe("");
    expect(new Set(records.map((record) => record.split(",").length)).size).toBe(1);
    for (const record of records) expect(record).toMatch(/^(?:id|[0-9a-f-]{36}),/);
  });

  test.each(EVIL)("begins none of the headers of a refusal that names it: %j", async (name) => {
    const { statuses, head } = await answersTo(longNameTo(named, name));
    expect(statuses).toEqual([303, 404]);
    for (const line of head.split("\r\n")) expect(line).toMatch(/^(?!X-Evil)[\u0020-\u007e]+$/);
  });
});

describe("a bomb", () => {
  const text = part('name="a"', "x");
  const keys = Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join(",");
  const chunked = (body: string) =>
    `Transfer-Encoding: chunked\r\n\r\n${body.replaceAll(/[^]/g, "1\r\n$&\r\n")}0\r\n\r\n`;
  const head = (type: string) => `POST ${path}?mode=rest HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n`;

  test.each<[what: string, request: () => string, status: number]>([
    ["objects 100,000 levels deep", () => sized(`${'{"a":'.repeat(1e5)}1${"}".repeat(1e5)}`, JSON_TYPE), 413],
    ["arrays 100,000 levels deep", () => sized(`{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`, JSON_TYPE), 413],
    ["a million brackets", () => sized("[".repeat(1e6), JSON_TYPE), 413],
    ["520,000 numbers in one field", () => sized(`{"a":[${"1,".repeat(520_000)}1]}`, JSON_TYPE), 200],
    ["80,000 keys", () => sized(`{${keys}}`, JSON_TYPE), 413],
    ["80,000 keys in one field", () => sized(`{"a":{${keys}}}`, JSON_TYPE), 200],
    ["200,000 times one key", () => sized(`{${'"":1,'.repeat(2e5)}"a":1}`, JSON_TYPE), 200],
    [
      "a million bytes that are no UTF-8",
      () => sized(`a=${"\u00e9".repeat(90_000)}&`.repeat(11), "application/x-www-form-urlencoded"),
      400,
    ],
    ["500,000 pairs", () => sized("a&".repeat(5e5), "application/x-www-form-urlencoded"), 413],
    ["100,000 parts", () => multipart(text.repeat(1e5)), 413],
    ["100,000 files", () => multipart(part('name="a"; filename="a"', "x").repeat(1e5)), 413],
    ["100,000 empty inputs", () => multipart(part('name="a"; filename=""', "").repeat(1e5)), 413],
    ["10 MB before the first part", () => multipart("x".repeat(1e7), "\r\n", text), 400],
    ["10 MB of almost boundaries before it", () => multipart("\r\n--".repeat(25e5), "\r\n", text), 400],
    ["10 MB behind the last part", () => sized(`${text}--B--\r\n${"x".repeat(1e7)}`, FORM), 400],
    ["a header of a part that never ends", () => multipart(`--B\r\nX-A: ${"x".repeat(1e7)}`), 413],
    ["headers of a part that never end", () => multipart(`--B\r\n${"a:b\r\n".repeat(2e6)}`), 413],
    ["50,000 almost boundaries in a field", () => multipart(part('name="a"', "\r\n--A".repeat(5e4))), 200],
    [
      "20,000 chunks of a byte",
      () => head(FORM) + chunked(`${part('name="a"', "x".repeat(2e4))}--B--\r\n`),
      200,
    ],
  ])("of %s, three at once, is answered, and so is the next request", async (_, request, status) => {
    const bomb = request();
    for (const { statuses } of await Promise.all([bomb, bomb, bomb].map((each) => answersTo(each)))) {
      expect(statuses).toEqual([status, 404]);
    }
    expect(await isHealthy()).toBe(true);
  });
});

// Of a few requests each; `afterAll` expects the same of the whole file.
describe("after all this", () => {
  test("exactly what was acknowledged is stored, and no other file is left", async () => {
    const own = await openRawInbox();
    const to = `${own.path}?mode=rest`;
    const file = part('name="a"; filename="a"', "x");
    for (const [request, status] of [
      [multipartTo(to, file), 200],
      [multipartTo(to, file.repeat(1000)), 413],
      [multipartTo(to, file, "--B\r\nbroken\r\n\r\nx\r\n"), 400],
      [sized('{"a":1}', JSON_TYPE, to), 200],
      [sized("[".repeat(1e5), JSON_TYPE, to), 413],
    ] as const)
      expect((await own.answersTo(request)).statuses).toEqual([status, 404]);
    await expectOnlyAcknowledged(own);
  }, 60_000);

  test.if(process.platform === "linux")("the server never took more than 400 MB", async () => {
    const bombs = [
      multipart(`--B\r\nX-A: ${"x".repeat(1e7)}`),
      sized(`{"a":[${"1,".repeat(520_000)}1]}`, JSON_TYPE),
    ];
    await Promise.all([...bombs, ...bombs, ...bombs].map((bomb) => answersTo(bomb)));
    expectLittleMemory(inbox);
  });

  test("the log has no failure, no name that a sender chose, and no control character", async () => {
    const own = await openRawInbox();
    await own.commands.run("tokens", "create", "laptop");
    for (const name of EVIL) {
      const stored = await own.answersTo(namesTo(own, name, `filename=${name}`));
      const refused = await own.answersTo(longNameTo(own, name));
      expect([stored.statuses, refused.statuses]).toEqual([
        [200, 404],
        [303, 404],
      ]);
    }
    await expectQuietLog(own);
  });
});
