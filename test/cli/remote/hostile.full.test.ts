import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { shapeOf } from "../../../cli/session/shape.ts";
import { clientOn } from "../../../cli/session/client.ts";
import { remoteTransport } from "../../../cli/session/remote.ts";
import { projects } from "../../../src/operations/projects.ts";
import { submissions } from "../../../src/operations/submissions.ts";
import { filled } from "../../support/answers.ts";
import { formflag, onData } from "../../support/commands.ts";
import { operationAt } from "../../support/operations.ts";
import { tempDirectory } from "../../support/temp.ts";
import { atTerminal } from "../../support/terminal.ts";

/** What a terminal would obey, and a line that nobody here wrote. */
const HOSTILE = "\x1b[31m\x1b]0;owned\x07\x9b1m\u202e\x7f\r\nFORGED\tline";
const CONTROL = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

/** Every command that asks a server. */
const files = tempDirectory();
const document = join(files, "formflag.yaml");
await Bun.write(document, "projects: {}\n");
await Bun.write(join(files, "flags.json"), '{"flags":{}}');
const at = ["-p", "shop", "-e", "live"];
const READS = [
  ["projects", "list"],
  ["projects", "get", "shop"],
  ["environments", "list", "-p", "shop"],
  ["environments", "get", "live", "-p", "shop"],
  ["environments", "history", "live", "-p", "shop"],
  ["flags", "list", ...at],
  ["flags", "get", "sale", ...at],
  ["flags", "history", "sale", ...at],
  ["flags", "stale", "-p", "shop"],
  ["flags", "scheduled", "-p", "shop"],
  ["flags", "evaluate", "sale", ...at],
  ["flags", "refs", "scan", files, "-p", "shop"],
  ["segments", "list", ...at],
  ["segments", "get", "staff", ...at],
  ["segments", "history", "staff", "-p", "shop"],
  ["forms", "list"],
  ["forms", "get", "contact"],
  ["submissions", "list", "contact", "--limit", "1"],
  ["submissions", "get", "01"],
  ["tokens", "list"],
  ["diff", "-f", document],
  ["targets", "list", "contact"],
  ["targets", "get", "01"],
  ["submissions", "timeline", "01"],
  ["submissions", "list", "--search", "ada"],
  ["deliveries", "list"],
  ["deliveries", "get", "01"],
  ["stats"],
  ["users", "list"],
  ["users", "get", "anna"],
  ["sessions", "list"],
  ["grants", "list"],
  ["flags", "feedback", "show", "sale", "-p", "shop"],
  ["flags", "refs", "list", "-p", "shop"],
];
const CHANGES = [
  ["projects", "create", "shop"],
  ["environments", "create", "live", "-p", "shop"],
  ["environments", "lock", "live", "-p", "shop"],
  ["environments", "unlock", "live", "-p", "shop"],
  ["flags", "set", "sale", ...at, "--on"],
  ["flags", "set", "sale", ...at, "--on", "--at", "2h"],
  ["flags", "rollback", "sale", ...at, "--to", "1"],
  ["flags", "promote", "--all", "-p", "shop", "--from", "a", "--to", "b"],
  ["flags", "import", join(files, "flags.json"), "--format", "flagd", ...at],
  ["segments", "set", "staff", ...at, "--rule", "true"],
  ["forms", "create", "contact"],
  ["forms", "set", "contact", "--name", "x"],
  ["forms", "uploads", "contact", "on"],
  ["forms", "enable", "contact"],
  ["forms", "disable", "contact"],
  ["tokens", "create", "ci"],
  ["apply", "-f", document],
  ["targets", "add", "contact", "https://example.com/hook"],
  ["targets", "enable", "01"],
  ["targets", "disable", "01"],
  ["targets", "rotate", "01"],
  ["submissions", "delete", "01", "02", "--yes"],
  ["submissions", "purge", "--email", "ada@example.com", "--yes"],
  ["users", "create", "anna", "--role", "viewer"],
  ["users", "set", "anna", "--role", "viewer"],
  ["users", "link"],
];
/** What they are answered is a number alone. */
const COUNTS = [
  ["submissions", "mark", "01", "read"],
  ["deliveries", "retry", "--failed"],
];
const DELETES = [
  ["projects", "delete", "shop", "--yes"],
  ["environments", "delete", "live", "-p", "shop", "--yes"],
  ["flags", "delete", "sale", "-p", "shop", "--yes"],
  ["segments", "delete", "staff", ...at, "--yes"],
  ["forms", "delete", "contact", "--yes"],
  ["submissions", "delete", "01", "--yes"],
  ["tokens", "revoke", "ci"],
  ["flags", "unschedule", HOSTILE, "-p", "shop"],
  ["targets", "delete", "01", "--yes"],
  ["users", "delete", "anna", "--yes"],
  ["sessions", "revoke", "01"],
  ["grants", "revoke", "01"],
  ["flags", "refs", "delete", "--branch", "main", "-p", "shop", "--yes"],
];
const DOWNLOADS = [
  ["submissions", "download", "01", "1"],
  ["submissions", "export", "contact"],
];
const DOCUMENTS = [
  ["export"],
  ["flags", "export", "--format", "flagd", ...at],
  ["flags", "feedback", "export", "sale", "-p", "shop"],
];
const COMMANDS = [...READS, ...CHANGES, ...DOWNLOADS, ...DOCUMENTS];

/** A server that gives any answer; `requests` are what reached it. */
function startFake(answer: (request: Request) => Response | Promise<Response>) {
  const requests: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 255,
    fetch(request) {
      requests.push(request);
      return answer(request);
    },
  });
  afterAll(() => server.stop(true));
  return { url: server.url.origin, requests };
}

const ask = (args: string[], url: string, ...more: string[]) =>
  formflag([...args, "--server", url, ...more], { env: { FORMFLAG_TOKEN: "ff_secret" } });

const asDownload = (body: string | ReadableStream) =>
  new Response(body, { headers: { "content-disposition": "attachment" } });

const operationOf = ({ method, url }: Request) => operationAt(method, new URL(url).pathname);
const shapeFor = (request: Request) => shapeOf(operationOf(request));

/** An answer of the operation in which every text is `text`. */
async function filledFor(request: Request, text: unknown): Promise<unknown> {
  const shape = await shapeFor(request);
  return shape === null ? text : filled(shape, text);
}

const hostile = startFake(async (request) => {
  const { media } = operationOf(request);
  if (media) return asDownload(`${HOSTILE}\n`);
  const shape = await shapeFor(request);
  if (shape === null) return new Response(null, { status: 204 });
  // An evaluation with an error is exit 1.
  const answer = { ...(filled(shape, HOSTILE) as object), errorCode: undefined };
  return Response.json(answer, { headers: { etag: '"7"' } });
});

describe("what a server answers", () => {
  test.each(
    [...READS, ...CHANGES, ...COUNTS, ...DELETES].map((args) => [args.slice(0, 2).join(" "), args] as const),
  )("is shown by %s with its control characters as escapes, and forges no line", async (_, args) => {
    const { code, stdout, stderr } = await ask(args, hostile.url);
    expect(stdout + stderr).not.toMatch(CONTROL);
    // The lines of a value stand behind the name of its field.
    expect(stdout + stderr).not.toMatch(/^\s{0,6}FORGED/m);
    expect([0, 9]).toContain(code);
  });

  test("is escaped on a terminal where a pipe gets it as it is", async () => {
    for (const args of [
      ...DOWNLOADS,
      ...DOCUMENTS,
      // The fake answers that everything is so, and a flag that is archived is in this list alone.
      ["flags", "list", ...at, "--state", "archived", "--json"],
      ["flags", "get", "x", ...at],
    ]) {
      const { raw } = await atTerminal([...args, "--server", hostile.url, "--no-color"], {
        FORMFLAG_TOKEN: "x",
      }).ends();
      expect(raw).toContain("owned");
      expect(raw.replaceAll("\r\n", "\n")).not.toMatch(CONTROL);
    }
    for (const args of DOWNLOADS) expect((await ask(args, hostile.url)).stdout).toBe(`${HOSTILE}\n`);
    const { stdout } = await ask(["projects", "get", "shop"], hostile.url, "--json");
    expect((JSON.parse(stdout) as { name: string }).name).toBe(HOSTILE);
  }, 60_000);

  test("is escaped on a terminal even where it is a colour, in code and in a single field", async () => {
    const path = tempDirectory();
    const data = onData(path);
    await data.run("forms", "create", "contact");
    const properties = { name: { type: "string", title: "Name \x1b[31mred\x1b[39m" } };
    await data.run(
      "forms",
      "set",
      "contact",
      "--name",
      "\x1b[1mbold",
      "--schema",
      JSON.stringify({ type: "object", properties }),
    );
    for (const args of [
      ["forms", "snippet", "contact"],
      ["forms", "get", "contact", "--field", "name"],
    ]) {
      const piped = (await data.run(...args)).stdout;
      const { raw } = await atTerminal([...args, "--data", path]).ends();
      expect(piped).toMatch(/\x1b\[(31|1)m/);
      expect(raw).toMatch(/\\u001b\[(31|1)m/);
      expect(raw).not.toContain("\x1b");
    }
  }, 60_000);

  test("is escaped in a question, in which it forges no line", async () => {
    const error = { code: "unconfirmed", message: HOSTILE, hint: null };
    const { url } = startFake(() => Response.json({ error }, { status: 428 }));
    const terminal = atTerminal(["flags", "set", "sale", ...at, "--on", "--server", url], {
      FORMFLAG_TOKEN: "x",
    });
    await terminal.shows("Change it all the same?");
    terminal.type("\r");
    const { code, raw, screen } = await terminal.ends();
    expect(code).toBe(1);
    expect(raw).not.toContain("\x1b]0");
    expect(screen).toContain("\\r\\nFORGED");
  });

  test("is escaped in an error as well", async () => {
    const error = { code: "conflict", message: HOSTILE, hint: HOSTILE };
    const { url } = startFake(() => Response.json({ error }, { status: 409 }));
    const { code, stdout, stderr } = await ask(["projects", "list"], url);
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).not.toMatch(CONTROL);
    expect(stderr).not.toMatch(/^FORGED/m);
  });
});

describe("an answer that formflag does not give", () => {
  const wrong = {
    "a list": () => Response.json([]),
    "texts that are numbers": async (request: Request) =>
      Response.json(/\/(export|flagd)$/.test(operationOf(request).path) ? 5 : await filledFor(request, 5)),
    "no content": async (request: Request) =>
      (await shapeFor(request)) === null ? Response.json({}) : new Response(null, { status: 204 }),
    "what is accepted for later": async (request: Request) =>
      Response.json(await filledFor(request, "x"), { status: 202 }),
    "a page": () => new Response("<title>router</title>", { headers: { "content-type": "text/html" } }),
  };
  test.each(Object.entries(wrong))(
    "such as %s is an error of that server in every command",
    async (what, answer) => {
      const { url } = startFake(answer);
      const results = [];
      for (const args of [
        ...COMMANDS,
        ...(what === "texts that are numbers" ? [] : [...COUNTS, ...DELETES]),
      ]) {
        const { code, stdout, stderr } = await ask(args, url);
        const isNamed = stderr.includes(`${url} did not answer as a formflag server`);
        if (code !== 6 || stdout !== "" || !isNamed) results.push({ args, code, stdout, stderr });
      }
      expect(results).toEqual([]);
    },
    60_000,
  );

  test.each([
    ["a status without a meaning", () => new Response("x", { status: 599 })],
    ["an error of another form", () => Response.json({ error: { code: 5, message: {} } }, { status: 404 })],
    ["JSON without an end of its levels", () => new Response("[".repeat(1_000_000))],
    ["null", () => Response.json(null)],
  ])("such as %s is exit 6", async (_, answer) => {
    const { url } = startFake(answer);
    const { code, stderr } = await ask(["submissions", "list", "contact"], url);
    expect(stderr).toContain("did not answer as a formflag server");
    expect(code).toBe(6);
  });

  test.each([
    ["export", ["export"]],
    ["flags export", ["flags", "export", "--format", "flagd", ...at]],
    ["submissions export", ["submissions", "export", "contact"]],
    ["flags feedback export", ["flags", "feedback", "export", "sale", "-p", "shop"]],
  ])("such as no content leaves the file of %s as it was", async (_, args) => {
    const file = join(tempDirectory(), "backup.txt");
    await Bun.write(file, "good");
    for (const answer of [() => new Response(null, { status: 204 }), () => Response.json({})]) {
      const { url } = startFake(answer);
      expect(await ask([...args, "-o", file, "--yes"], url)).toMatchObject({ code: 6, stdout: "" });
      expect(await Bun.file(file).text()).toBe("good");
    }
  });

  test("such as pages without an end is read to the first that is empty", async () => {
    const { url, requests } = startFake(() => Response.json({ submissions: [], next: "more" }));
    expect((await ask(["submissions", "list", "contact", "--json"], url)).stdout).toBe("[]\n");
    expect(requests.length).toBe(1);
  });

  test("such as a bug of its own is exit 1, and not said to be one here", async () => {
    const error = { code: "internal", message: "internal error", hint: null };
    const { url } = startFake(() => Response.json({ error }, { status: 500 }));
    const { code, stderr } = await ask(["projects", "list"], url);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `error: internal error on ${url}\nhint: see the log of the server\n`,
    });
  });
});

describe("an answer without an end", () => {
  const endless = (chunk: string, ms = 0) =>
    new ReadableStream({
      async pull(controller) {
        if (ms > 0) await Bun.sleep(ms);
        controller.enqueue(chunk);
      },
    });

  test("ends where it is larger than any of formflag, with little memory", async () => {
    const { url } = startFake(() => new Response(endless(" ".repeat(65_536))));
    const { code, stderr } = await ask(["projects", "list"], url);
    expect(stderr).toContain("answers with more than 64 MB");
    expect(code).toBe(6);
  }, 60_000);

  test.each([
    ["does not begin", () => new Promise<Response>(() => {})],
    ["pauses", () => new Response(new ReadableStream({ start: (controller) => controller.enqueue("{") }))],
    ["comes in drops", () => new Response(endless(" ", 10))],
  ])("is given up where it %s", async (_, answer) => {
    const { url } = startFake(answer);
    const limits = { bytes: 1000, ms: 300, idleMs: 200 };
    const client = clientOn(remoteTransport({ server: url, token: "x", ca: null }, limits));
    const failure = await client.call(projects.list, { query: {} }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "unavailable", message: expect.stringContaining("too slowly") });
  });

  test("of a download goes on for as long as something comes, and is given up where nothing does", async () => {
    let sent = 0;
    const { url } = startFake(() =>
      asDownload(
        new ReadableStream({
          async pull(controller) {
            if ((sent += 1) > 20) return new Promise<void>(() => {});
            await Bun.sleep(20);
            controller.enqueue("x".repeat(100));
          },
        }),
      ),
    );
    const limits = { bytes: 10, ms: 250, idleMs: 1500 };
    const client = clientOn(remoteTransport({ server: url, token: "x", ca: null }, limits));
    const { body } = await client.open(submissions.file, { names: { id: "1", file: "1" } });
    let received = 0;
    const read = async () => {
      for await (const chunk of body!) received += chunk.byteLength;
    };
    expect(await read().catch((error: unknown) => error)).toMatchObject({ code: "unavailable" });
    expect(received).toBe(2000);
  });

  test.each([
    ["breaks off", "Content-Length: 100\r\n", "broke off its answer"],
    ["breaks off within a chunk", "Transfer-Encoding: chunked\r\n\r\n50", "broke off its answer"],
    ["ends with the connection alone", "Connection: close\r\n", "sends a download without its length"],
  ])("that %s is exit 6, and leaves no half file", async (_, header, says) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Disposition: attachment\r\n${header}\r\n`;
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.end(`${head}half`) },
    });
    const file = join(tempDirectory(), "file");
    const download = ["submissions", "download", "1", "1", "-o", file];
    const { code, stderr } = await ask(download, `http://127.0.0.1:${server.port}`);
    server.stop(true);
    expect(stderr).toContain(says);
    expect(code).toBe(6);
    expect([...new Bun.Glob("*").scanSync(join(file, ".."))]).toEqual([]);
  });
});

describe("the token", () => {
  test("does not follow a redirect", async () => {
    const elsewhere = startFake(() => Response.json({ projects: [] }));
    const { url } = startFake(() => Response.redirect(`${elsewhere.url}/x`, 307));
    const { code, stderr } = await ask(["projects", "list"], url);
    expect(stderr).toContain(`pointed to ${elsewhere.url}/x`);
    expect(code).toBe(6);
    expect(elsewhere.requests).toEqual([]);
  });

  test("goes in the clear to this machine, and to another one only with --insecure", async () => {
    const run = (url: string, env = {}, ...more: string[]) =>
      formflag(["projects", "list", "--server", url, ...more], { env: { FORMFLAG_TOKEN: "x", ...env } });
    for (const url of ["http://127.0.0.1:9", "http://[::1]:9", "http://localhost:9"])
      expect((await run(url)).code).toBe(6);
    for (const url of ["http://192.0.2.1:9", "http://localhost.example:9", "http://127.0.0.1@a.invalid:9"]) {
      const { code, stderr } = await run(url);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("--insecure") });
    }
    const far = "http://formflag.invalid:9";
    expect((await run(far, {}, "--insecure")).code).toBe(6);
    expect((await run(far, { FORMFLAG_INSECURE: "1" })).code).toBe(6);
    expect((await run(far, { FORMFLAG_INSECURE: "0" })).code).toBe(2);
  });

  test("for this machine does not pass a proxy", async () => {
    const proxy = startFake(() => Response.json({ projects: [] }));
    const server = startFake(() => Response.json({ projects: [] }));
    const env = { FORMFLAG_TOKEN: "x", HTTP_PROXY: proxy.url, http_proxy: proxy.url };
    expect((await formflag(["projects", "list", "--server", server.url], { env })).code).toBe(0);
    expect([proxy.requests.length, server.requests.length]).toEqual([0, 1]);
  });
});
