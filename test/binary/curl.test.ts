import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { programAt } from "../support/needs.ts";

const curl = programAt("curl", "requests by curl");
const server = await startServer();
const commands = onData(server.data);
const { key } = await commands.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
const address = `${server.url}/v1/s/${key}`;

type Submission = {
  data: Record<string, unknown>;
  files: { field: string; name: string; type: string; size: number; sha256: string }[];
};

async function run(args: string[], cwd: string) {
  const child = Bun.spawn([curl!, "-sS", "--max-time", "30", ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", LC_ALL: "C.UTF-8" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ exit: await child.exited, stderr }).toEqual({ exit: 0, stderr: "" });
  return stdout;
}

/** Posts to the form with `mode=rest` and returns the status and the JSON of the answer. */
async function post(args: string[], cwd = tempDirectory()) {
  const output = await run(["-w", "\n%{http_code}", ...args, `${address}?mode=rest`], cwd);
  const end = output.lastIndexOf("\n");
  return {
    status: Number(output.slice(end + 1)),
    body: JSON.parse(output.slice(0, end)) as { id: string; code: number; error?: true; message: string },
  };
}

/** Posts, and returns what was stored. */
async function stored(args: string[], cwd?: string): Promise<Submission> {
  const { status, body } = await post(args, cwd);
  expect({ status, code: body.code }).toEqual({ status: 200, code: 200 });
  return commands.json<Submission>("submissions", "get", body.id);
}

/** A directory with files of those contents. */
async function folderWith(files: Record<string, string | Uint8Array>): Promise<string> {
  const directory = tempDirectory();
  for (const [name, content] of Object.entries(files)) await Bun.write(join(directory, name), content);
  return directory;
}

function uploads(): string[] {
  const entries = readdirSync(join(server.data, "uploads"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

const large = await folderWith({ "large.bin": Buffer.alloc(20 * 1_048_576, "x") });

describe.skipIf(!curl)("curl", () => {
  test("-F with repeated names keeps every value, in order", async () => {
    const { data } = await stored(["-F", "a=1", "-F", "b=x", "-F", "a=2", "-F", "a=", "-F", "ü=ä€𝄞"]);
    expect(data).toEqual({ a: ["1", "2", ""], b: "x", ü: "ä€𝄞" });
  });

  test("-F with a file keeps its bytes, name and type", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(300_000));
    const cwd = await folderWith({ "photo.png": bytes, "notes.txt": "hello\r\n--not a boundary" });
    const { data, files } = await stored(
      ["-F", "name=Ada", "-F", "f=@photo.png", "-F", "f=@notes.txt;type=text/x-odd"],
      cwd,
    );
    const sha256 = (content: string | Uint8Array) =>
      new Bun.CryptoHasher("sha256").update(content).digest("hex");
    expect(data).toEqual({ name: "Ada" });
    expect(files).toEqual([
      { field: "f", name: "photo.png", type: "image/png", size: 300_000, sha256: sha256(bytes) },
      {
        field: "f",
        name: "notes.txt",
        type: "text/x-odd",
        size: 23,
        sha256: sha256("hello\r\n--not a boundary"),
      },
    ]);
  });

  test("-F ;type= with parameters keeps them", async () => {
    const cwd = await folderWith({ "a.json": "{}" });
    const { files } = await stored(["-F", "f=@a.json;type=application/json; charset=utf-8"], cwd);
    expect(files[0]?.type).toBe("application/json; charset=utf-8");
  });

  test.each([['quo"te.txt'], ["back\\slash.txt"], ["ümläut €𝄞.txt"], ["per%cent.txt"], ["semi;colon.txt"]])(
    "a file named %p is stored under that name",
    async (name) => {
      const cwd = await folderWith({ "plain.txt": "x" });
      const quoted = `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
      const { files } = await stored(["-F", `f=@plain.txt;filename=${quoted}`], cwd);
      expect(files.map((file) => file.name)).toEqual([name]);
    },
  );

  test("a name that looks like a path is only a name", async () => {
    const cwd = await folderWith({ "plain.txt": "x" });
    const { files } = await stored(["-F", "f=@plain.txt;filename=../../../evil.txt"], cwd);
    expect(files[0]?.name).toBe("../../../evil.txt");
    expect(uploads().every((name) => !name.includes("evil"))).toBe(true);
  });

  test("an empty file input is no file, and alone it is an empty submission", async () => {
    const { data, files } = await stored(["-F", "a=1", "-F", "f=@/dev/null;filename="]);
    expect({ data, files }).toEqual({ data: { a: "1" }, files: [] });
    const { status, body } = await post(["-F", "f=@/dev/null;filename="]);
    expect({ status, error: body.error }).toEqual({ status: 400, error: true });
  });

  test("an empty file with a name is a file of 0 bytes", async () => {
    const cwd = await folderWith({ "empty.txt": "" });
    const { files } = await stored(["-F", "f=@empty.txt"], cwd);
    expect(files).toMatchObject([{ name: "empty.txt", size: 0 }]);
  });

  test.each([
    ["chunked", ["-H", "Transfer-Encoding: chunked"]],
    ["after 100-continue", ["-H", "Expect: 100-continue"]],
    ["without waiting", ["-H", "Expect:"]],
    ["over HTTP/1.0", ["--http1.0"]],
  ])("a file of exactly 1 MB sent %s is stored whole", async (_, how) => {
    const bytes = crypto.getRandomValues(new Uint8Array(64));
    const content = Buffer.alloc(1_048_576, Buffer.from(bytes));
    const cwd = await folderWith({ "big.bin": content });
    const { files } = await stored([...how, "-F", "f=@big.bin"], cwd);
    expect(files).toMatchObject([
      { size: 1_048_576, sha256: new Bun.CryptoHasher("sha256").update(content).digest("hex") },
    ]);
  });

  test("--data-urlencode is decoded as forms are", async () => {
    const { data } = await stored([
      "--data-urlencode",
      "text=a b&c=d+e%20ä",
      "--data-urlencode",
      "tag=1",
      "--data-urlencode",
      "tag=2",
    ]);
    expect(data).toEqual({ text: "a b&c=d+e%20ä", tag: ["1", "2"] });
  });

  test("JSON keeps its types", async () => {
    const value = { text: "ä", count: 1.5, yes: true, none: null, list: [1, { a: [] }], __proto: {} };
    const { data } = await stored(["-H", "Content-Type: application/json", "-d", JSON.stringify(value)]);
    expect(data).toEqual(value);
  });

  test("without mode=rest follows the redirect to the thank-you page", async () => {
    const page = await run(
      ["-L", "-w", "\n%{http_code} %{num_redirects}", "-F", "a=1", address],
      tempDirectory(),
    );
    expect(page).toEndWith("\n200 1");
    expect(page).toContain("<html");
  });

  test.each([
    ["as it comes", []],
    ["chunked", ["-H", "Transfer-Encoding: chunked"]],
    ["chunked without waiting", ["-H", "Transfer-Encoding: chunked", "-H", "Expect:"]],
    ["after 100-continue", ["-H", "Expect: 100-continue"]],
    ["without waiting", ["-H", "Expect:"]],
  ])(
    "a file of 20 MB sent %s is refused with 413, the client gets the answer, nothing is stored",
    async (_, how) => {
      const [before, countBefore] = [uploads(), (await submissions()).length];
      const { status, body } = await post([...how, "-F", "a=1", "-F", "f=@large.bin"], large);
      expect({ status, error: body.error, code: body.code }).toEqual({ status: 413, error: true, code: 413 });
      expect(body.message).toContain("large.bin");
      expect(body.message).toContain("1 MB");
      expect(uploads()).toEqual(before);
      expect(await submissions()).toHaveLength(countBefore);
    },
    60_000,
  );

  test("a refusal among good files leaves none of them", async () => {
    const cwd = await folderWith({ "good.txt": "x", "bad.txt": Buffer.alloc(1_048_577, "x") });
    const before = uploads();
    const { status } = await post(["-F", "f=@good.txt", "-F", "f=@good.txt", "-F", "f=@bad.txt"], cwd);
    expect(status).toBe(413);
    expect((await post(Array.from({ length: 6 }, () => ["-F", "f=@good.txt"]).flat(), cwd)).status).toBe(413);
    expect(uploads()).toEqual(before);
  });

  test("a compressed body is refused with 415", async () => {
    const cwd = await folderWith({ "body.gz": Bun.gzipSync('{"a":1}') });
    const headers = ["-H", "Content-Type: application/json", "-H", "Content-Encoding: gzip"];
    expect((await post([...headers, "--data-binary", "@body.gz"], cwd)).status).toBe(415);
  });
});

function submissions(): Promise<unknown[]> {
  return commands.json<unknown[]>("submissions", "list", "contact", "--limit", "1000");
}

describe.skipIf(curl === null)("curl with the settings of a form", () => {
  test("repeats a submission with its key, and is told what a schema misses", async () => {
    const schema = JSON.stringify({ required: ["email"], properties: { email: { format: "email" } } });
    const { key } = await commands.json<{ key: string }>("forms", "create", "checked", "--schema", schema);
    const to = `${server.url}/v1/s/${key}?mode=rest`;
    const send = (...args: string[]) => run(["-i", ...args, to], tempDirectory());
    const [first, again] = [
      await send("-H", 'Idempotency-Key: "4711"', "-d", "email=ann@example.com"),
      await send("-H", "Idempotency-Key: 4711", "-d", "email=ann@example.com"),
    ];
    const idOf = (answer: string) => /"id":"([^"]+)"/.exec(answer)![1];
    expect(idOf(again)).toBe(idOf(first));
    expect(again).toMatch(/^idempotent-replayed: true\r$/im);
    expect(await commands.json("submissions", "list", "checked")).toHaveLength(1);
    const refused = await send("-d", "email=ann");
    expect(refused).toStartWith("HTTP/1.1 422");
    expect(refused).toContain('"errors":[{"field":"email","code":"format"');
  });
});

test.skipIf(curl === null)("-I says no wrong length of what GET answers", async () => {
  for (const path of ["/v1/thanks", "/readyz", "/nothing"]) {
    const head = await run(["-I", `${server.url}${path}`], tempDirectory());
    expect(head).toMatch(/^transfer-encoding: chunked\r$/im);
    expect(head).not.toMatch(/^content-length:/im);
  }
  const length = (await (await fetch(`${server.url}/openapi.json`)).bytes()).byteLength;
  expect(await run(["-I", `${server.url}/openapi.json`], tempDirectory())).toMatch(
    new RegExp(`^content-length: ${length}\r$`, "im"),
  );
  expect(await run(["-I", `${server.url}/healthz`], tempDirectory())).toMatch(/^content-length: 15\r$/im);
  expect(await run(["-I", `${server.url}/`], tempDirectory())).toMatch(/^content-length: 0\r$/im);
});
