import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { isRoot, need } from "../support/needs.ts";

type Project = { key: string; environments: { slug: string; key: string }[] };
type Submission = { id: string; data: Record<string, unknown>; files: { name: string; size: number }[] };

/** A form on a data directory, and what was submitted to it. */
async function openForm(data: string) {
  const commands = onData(data, runExecutable);
  const { key } = await commands.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  const post = (url: string, body: string | FormData | URLSearchParams) =>
    fetch(`${url}/v1/s/${key}?mode=rest`, { method: "POST", body });
  const submissions = () => commands.json<Submission[]>("submissions", "list", "contact", "--limit", "1000");
  return { key, post, submissions };
}

/** A project on a data directory; `read` asks a server for a flag of its environment `develop`. */
async function openFlags(data: string) {
  const commands = onData(data, runExecutable);
  const project = await commands.json<Project>("projects", "create", "shop");
  const environmentKey = project.environments.find(({ slug }) => slug === "develop")!.key;
  const headers = { "x-project-key": project.key, "x-environment-key": environmentKey };
  return {
    keys: [project.key, environmentKey],
    set: (slug: string, ...args: string[]) =>
      commands.run("flags", "set", slug, "-p", "shop", "-e", "develop", ...args),
    ask: (url: string, slug: string) => fetch(`${url}/api/v1/flags/${slug}`, { headers }),
    async read(url: string, slug: string) {
      return (await fetch(`${url}/api/v1/flags/${slug}`, { headers })).json() as Promise<{
        enabled: boolean;
        payload: unknown;
      }>;
    },
  };
}

function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe("the address", () => {
  test("is announced once it answers, and healthz answers 200", async () => {
    const { urls, stderr } = await startServer();
    expect(urls).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)]);
    expect((await fetch(`${urls[0]}/healthz`)).status).toBe(200);
    expect(stderr().match(/listening on/g)).toHaveLength(1);
  });

  test("of each service may be another, and each answers only there", async () => {
    const { data, urls } = await startServer(
      ["--forms-listen", "127.0.0.1:0", "--flags-listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"],
      { addresses: 3 },
    );
    expect(new Set(urls).size).toBe(3);
    const { post } = await openForm(data);
    const flags = await openFlags(data);
    await flags.set("sale", "--on");
    const { stdout } = await onData(data, runExecutable).run("tokens", "create", "laptop");
    const headers = { Authorization: `Bearer ${stdout.trim()}` };
    const answers = async (url: string) => [
      (await post(url, new URLSearchParams("a=1"))).status === 200,
      (await flags.ask(url, "sale")).status === 200,
      (await fetch(`${url}/api/admin/v1/forms`, { headers })).status === 200,
    ];
    expect(await Promise.all(urls.map(answers))).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
    for (const url of urls) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test("of the admin API alone may be another", async () => {
    const { data, urls } = await startServer(["--admin-listen", "127.0.0.1:0"], { addresses: 2 });
    const { post } = await openForm(data);
    const statuses = async (url: string) => [
      (await post(url, new URLSearchParams("a=1"))).status,
      (await fetch(`${url}/api/admin/v1/forms`)).status,
    ];
    expect(await Promise.all(urls.map(statuses))).toEqual([
      [200, 404],
      [404, 401],
    ]);
  });

  test("whose host is not known is exit 6 and says so, instead of being in use", async () => {
    for (const args of [["--listen"], ["--listen", "127.0.0.1:0", "--flagd-listen"]]) {
      const serve = ["serve", "--data", tempDirectory(), ...args, "formflag.invalid:8787"];
      const { code, stdout, stderr } = await runExecutable(serve);
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toMatch(/^error: the address formflag\.invalid:8787 has no address here: /m);
    }
  });

  test("that is in use is exit 6 and named, whether from an option or FORMFLAG_LISTEN", async () => {
    const { url } = await startServer();
    const address = new URL(url).host;
    for (const [args, env] of [
      [["--listen", address], {}],
      [[], { FORMFLAG_LISTEN: address }],
      [["--listen", "127.0.0.1:0", "--admin-listen", address], {}],
    ] as const) {
      const data = tempDirectory();
      const { code, stdout, stderr } = await runExecutable(["serve", "--data", data, ...args], { env });
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toContain(`${address} is in use`);
      expect(stderr).not.toContain("listening on");
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test.each([
    [["--listen", "nonsense"], "--listen nonsense"],
    [["--listen", "127.0.0.1:99999"], "--listen"],
    [["--flags-listen", "1:2:3"], "--flags-listen"],
    [["--public-url", "example.com"], "--public-url"],
    [["--trusted-proxy", "everybody"], "--trusted-proxy"],
  ])("%p is a usage error, exit 2", async (args, named) => {
    const { code, stdout, stderr } = await runExecutable(["serve", "--listen", "127.0.0.1:0", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(named);
  });
});

describe("serve on a server", () => {
  test("is a usage error, exit 2: it serves a directory", async () => {
    const args = [
      "serve",
      "--listen",
      "127.0.0.1:0",
      "--data",
      tempDirectory(),
      "--server",
      "http://127.0.0.1:1",
    ];
    const { code, stderr } = await runExecutable(args);
    expect(code).toBe(2);
    expect(stderr).toContain("--server");
  });
});

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  test("ends an idle server with exit code 0, also right after it said that it listens", async () => {
    const codes: number[] = [];
    for (let count = 0; count < 2; count += 1) codes.push(await (await startServer()).stop(signal));
    expect(codes).toEqual([0, 0]);
  });

  test("lets a request under way finish, and its row is stored", async () => {
    const server = await startServer();
    const { key, submissions } = await openForm(server.data);
    const body =
      '--B\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\n' +
      `${"x".repeat(200_000)}\r\n--B--\r\n`;
    const half = body.length / 2;
    let received = "";
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("data", (bytes) => (received += bytes.toString()));
    socket.write(
      `POST /v1/s/${key}?mode=rest HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n` +
        `Content-Type: multipart/form-data; boundary=B\r\n\r\n${body.slice(0, half)}`,
    );
    const staging = join(server.data, "uploads", "staging");
    await eventually("the first half to arrive", () => readdirSync(staging).length === 1);
    const stopped = server.stop(signal);
    await eventually("the signal to arrive", () => server.stderr().includes("stopping"));
    socket.write(body.slice(half));
    await eventually("an answer", () => received.includes("\r\n\r\n"));
    expect(received).toStartWith("HTTP/1.1 200 ");
    expect(received).toMatch(/^connection: close\r$/im);
    socket.end();
    expect(await stopped).toBe(0);
    expect(await submissions()).toMatchObject([{ files: [{ name: "a.bin", size: 200_000 }] }]);
  }, 60_000);
});

describe("a server killed in the middle", () => {
  test("keeps what it acknowledged, starts again and clears what was half-way", async () => {
    const first = await startServer();
    const { key, post, submissions } = await openForm(first.data);
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      const answer = await post(first.url, new URLSearchParams(`count=${count}`));
      ids.push(((await answer.json()) as { id: string }).id);
    }
    const socket = connect(Number(new URL(first.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `POST /v1/s/${key}?mode=rest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n` +
        "Content-Type: multipart/form-data; boundary=B\r\n\r\n" +
        '--B\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\nhalf',
    );
    const staging = join(first.data, "uploads", "staging");
    await eventually("a staged file", () => readdirSync(staging).length === 1);
    await first.stop("SIGKILL");
    socket.destroy();
    expect(readdirSync(staging)).toHaveLength(1);

    const second = await startServer([], { data: first.data });
    expect(readdirSync(staging)).toEqual([]);
    expect((await submissions()).map(({ id }) => id)).toEqual(ids.toReversed());
    expect((await post(second.url, new URLSearchParams("a=1"))).status).toBe(200);
  }, 60_000);
});

describe("a second server on the same data directory", () => {
  test("is refused, exit 6, with a message that says so, and damages nothing", async () => {
    const first = await startServer();
    const { post, submissions } = await openForm(first.data);
    await post(first.url, new URLSearchParams("a=1"));
    const { code, stdout, stderr } = await runExecutable([
      "serve",
      "--listen",
      "127.0.0.1:0",
      "--data",
      first.data,
    ]);
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain(`another formflag serves the data directory ${first.data}`);
    expect(stderr).not.toContain("listening on");
    expect((await post(first.url, new URLSearchParams("a=2"))).status).toBe(200);
    expect(await submissions()).toHaveLength(2);
    // The directory is free again once the first has ended.
    await first.stop();
    const third = await startServer([], { data: first.data });
    expect((await post(third.url, new URLSearchParams("a=3"))).status).toBe(200);
  }, 60_000);
});

describe("a data directory that cannot be used", () => {
  test.each([
    ["below a regular file", (file: string) => join(file, "data")],
    ["a regular file", (file: string) => file],
    ["in /proc", () => "/proc/formflag/data"],
  ])("%s ends the server with the path and a hint", async (_, pathOf) => {
    const file = join(tempDirectory(), "file");
    writeFileSync(file, "I was here first");
    const args = ["serve", "--listen", "127.0.0.1:0", "--data", pathOf(file)];
    const { code, stdout, stderr } = await runExecutable(args);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain(pathOf(file));
    expect(stderr).toContain("hint: ");
    expect(stderr).not.toContain("internal error");
    expect(await Bun.file(file).text()).toBe("I was here first");
  });

  test.skipIf(isRoot())("without permission to write ends the server", async () => {
    const data = join(tempDirectory(), "data");
    mkdirSync(data, { mode: 0o500 });
    const { code, stderr } = await runExecutable(["serve", "--listen", "127.0.0.1:0", "--data", data]);
    expect(code).toBe(4);
    expect(stderr).toContain(data);
  });
});

/** A file system of 4 MB, or null if this user may not mount one. */
function mountSmallDisk(): string | null {
  let directory = "";
  // Before the directory is removed.
  afterAll(() => void (directory === "" || Bun.spawnSync(["umount", "-l", directory])));
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !Bun.which("mount")) return null;
  const mount = Bun.spawnSync([
    "mount",
    "-t",
    "tmpfs",
    "-o",
    "size=4m",
    "tmpfs",
    (directory = tempDirectory()),
  ]);
  return mount.exitCode === 0 ? directory : null;
}

const smallDisk = mountSmallDisk();
need(smallDisk !== null, "a full disk: only root may mount one, with mount");

describe.skipIf(smallDisk === null)("a full disk", () => {
  test("refuses submissions with 503, stores nothing of them, and recovers when there is room", async () => {
    const disk = smallDisk!;
    const server = await startServer([], { data: join(disk, "data") });
    const { post, submissions } = await openForm(server.data);
    const withFile = (size: number) => {
      const form = new FormData();
      form.append("f", new File(["x".repeat(size)], "a.txt"));
      return form;
    };
    expect((await post(server.url, withFile(1000))).status).toBe(200);
    const filler = join(disk, "filler");
    fill(filler);
    const answer = await post(server.url, withFile(900_000));
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    const body = (await answer.json()) as { error: boolean; code: number; message: string };
    expect(body).toMatchObject({ error: true, code: 503, message: expect.stringContaining("full") });
    const statuses: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      statuses.push((await post(server.url, new URLSearchParams({ text: "x".repeat(100_000) }))).status);
    }
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(filesIn(join(server.data, "uploads"))).toHaveLength(1);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    rmSync(filler);
    expect(await submissions()).toHaveLength(1);
    expect((await post(server.url, withFile(900_000))).status).toBe(200);
    expect((await post(server.url, new URLSearchParams("a=1"))).status).toBe(200);
    expect(await submissions()).toHaveLength(3);
    expect(await server.stop()).toBe(0);
  }, 60_000);
});

/** Writes until there is no room for another byte. */
function fill(file: string): void {
  for (let size = 1 << 20; size >= 1;) {
    try {
      writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch {
      size = Math.floor(size / 2);
    }
  }
}

describe("files in the current directory", () => {
  test("such as .env and bunfig.toml neither set anything nor run anything", async () => {
    const [cwd, data, elsewhere] = [tempDirectory(), tempDirectory(), join(tempDirectory(), "elsewhere")];
    const mark = join(cwd, "preload-ran");
    const files = {
      ".env": `FORMFLAG_DATA=${elsewhere}\nFORMFLAG_PROJECT=from-dotenv\n`,
      ".env.local": `FORMFLAG_DATA=${elsewhere}\n`,
      "bunfig.toml": 'preload = ["./preload.ts"]\n',
      "preload.ts": `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");\n`,
      "package.json": '{"type":"commonjs"}\n',
      "tsconfig.json": "not JSON\n",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    expect((await runExecutable(["projects", "create", "shop", "--data", data], { cwd })).code).toBe(0);
    expect((await runExecutable(["forms", "list"], { cwd })).code).toBe(3);
    expect((await runExecutable(["flags", "list", "-e", "develop"], { cwd })).code).toBe(2);
    expect((await runExecutable(["serve", "--listen", "nonsense"], { cwd })).code).toBe(2);
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(elsewhere)).toBe(false);
  });
});

describe("the log", () => {
  test("is one JSON line a request, without keys or anything that a sender sent", async () => {
    const server = await startServer();
    const { key, post } = await openForm(server.data);
    const flags = await openFlags(server.data);
    await flags.set("hidden-slug", "--on");
    const form = new FormData();
    form.append("secretField", "secretValue");
    form.append("f", new File(["secretContent"], "secretName.txt"));
    await post(server.url, form);
    await post(server.url, "secretBody");
    await flags.ask(server.url, "hidden-slug");
    await fetch(`${server.url}/secretPath?secretQuery=1`, {
      headers: { Authorization: "Bearer secretToken" },
    });
    await fetch(`${server.url}/v1/s/secretFormKey`);
    expect(await server.stop()).toBe(0);

    const lines = server.stderr().trimEnd().split("\n");
    const records = lines.filter((line) => !line.startsWith("listening on ")).map((line) => JSON.parse(line));
    const requests = records.filter((record: object) => "method" in record);
    expect(requests).toEqual([
      {
        time: expect.any(String),
        level: "info",
        method: "POST",
        route: "/v1/s/:form_key",
        status: 200,
        ms: expect.any(Number),
        id: expect.any(String),
      },
      expect.objectContaining({ method: "POST", route: "/v1/s/:form_key", status: 415 }),
      expect.objectContaining({ method: "GET", status: 404 }),
      expect.objectContaining({ method: "GET", route: "/v1/s/:form_key" }),
    ]);
    for (const hidden of [key, ...flags.keys, "secret"]) expect(server.stderr()).not.toContain(hidden);
  }, 60_000);
});

describe("commands beside a running server", () => {
  test("a flag that a command has changed is in the very next answer", async () => {
    const server = await startServer();
    const flags = await openFlags(server.data);
    for (let round = 0; round < 30; round += 1) {
      const enabled = round % 2 === 0;
      const result = await flags.set("sale", enabled ? "--on" : "--off", "--payload", String(round));
      const answer = await flags.read(server.url, "sale");
      expect(result).toMatchObject({ code: 0, stderr: "" });
      expect(answer).toMatchObject({ enabled, payload: round });
    }
  }, 60_000);

  test("a form that a command has changed is so for the very next submission", async () => {
    const server = await startServer();
    const { run } = onData(server.data, runExecutable);
    const { post } = await openForm(server.data);
    for (const [args, status] of [
      [["disable", "contact"], 409],
      [["enable", "contact"], 200],
      [["delete", "contact", "--yes"], 404],
    ] as const) {
      expect((await run("forms", ...args)).code).toBe(0);
      expect((await post(server.url, new URLSearchParams("a=1"))).status).toBe(status);
    }
  });

  test("a token that a command has revoked is refused in the very next request", async () => {
    const server = await startServer();
    const { run } = onData(server.data, runExecutable);
    const token = (await run("tokens", "create", "laptop")).stdout.trim();
    const ask = async () =>
      (await fetch(`${server.url}/api/admin/v1/forms`, { headers: { Authorization: `Bearer ${token}` } }))
        .status;
    expect(await ask()).toBe(200);
    await run("tokens", "revoke", "laptop");
    expect(await ask()).toBe(401);
  });

  test("two that write at once while submissions come in lose nothing", async () => {
    const server = await startServer();
    const { post } = await openForm(server.data);
    const flags = await openFlags(server.data);
    const writing = { isDone: false };
    const sent: number[] = [];
    const send = async (sender: number) => {
      for (let count = 0; !writing.isDone; count += 1) {
        const number = sender * 1_000_000 + count;
        const { status } = await post(server.url, new URLSearchParams({ number: String(number) }));
        expect(status).toBe(200);
        sent.push(number);
      }
    };
    const write = async (writer: string) => {
      for (let count = 0; count < 15; count += 1) {
        const result = await flags.set(`${writer}-${count}`, "--on", "--payload", String(count), "-q");
        expect(result).toMatchObject({ code: 0, stderr: "" });
      }
    };
    const senders = [1, 2, 3, 4].map(send);
    await Promise.all([write("one"), write("two")]).finally(() => (writing.isDone = true));
    await Promise.all(senders);
    expect(sent.length).toBeGreaterThan(0);
    const { stdout } = await onData(server.data, runExecutable).run("submissions", "export", "contact");
    const stored = stdout
      .trimEnd()
      .split("\n")
      .map((line) => Number((JSON.parse(line) as Submission).data["number"]));
    expect(stored.toSorted((a, b) => a - b)).toEqual(sent.toSorted((a, b) => a - b));
    for (const writer of ["one", "two"]) {
      for (let count = 0; count < 15; count += 1) {
        expect(await flags.read(server.url, `${writer}-${count}`)).toMatchObject({
          enabled: true,
          payload: count,
        });
      }
    }
  }, 60_000);
});
