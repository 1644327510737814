import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createToken } from "../../../src/access/tokens.ts";
import { AppError } from "../../../src/base/errors.ts";
import { unanswered } from "../../../src/delivery/attempt.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { plantTarget } from "../../support/records/apply.ts";
import { formflag, onData } from "../../support/commands.ts";
import { webhooksOf } from "../../support/peers/outgoing.ts";
import { tempDirectory } from "../../support/temp.ts";

const HOOK = "https://example.com/hooks/PATH-SECRET";
const SECRET = /whsec_[A-Za-z0-9+/]{43}=/;

type Added = { id: string; secret: string | null };

/** Commands on a server whose connections to targets are not made, but remembered. */
async function openRemote() {
  const app = openTestApp();
  const { outgoing, ...services } = openServices(app);
  const admin = await services.admin();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => admin.fetch(request, {}) });
  await createForm(app, OPERATOR, { slug: "contact" });
  const { token } = await createToken(app, OPERATOR, { name: "admin" });
  const env = { FORMFLAG_SERVER: `http://127.0.0.1:${server.port}`, FORMFLAG_TOKEN: token };
  const run = (args: string[], stdin?: string) =>
    formflag(args, stdin === undefined ? { env } : { env, stdin });
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await run([...args, "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as T;
  };
  return { app, outgoing, run, json, [Symbol.asyncDispose]: () => server.stop(true) };
}

describe("targets add", () => {
  test("prints the id with the secret of a webhook, and its URL nowhere", async () => {
    await using remote = await openRemote();
    const shown = await remote.run(["targets", "add", "contact", HOOK]);
    expect({ code: shown.code, stderr: shown.stderr }).toEqual({ code: 0, stderr: "" });
    expect(shown.stdout).toMatch(/^target {2}\S{14}\nsecret {2}whsec_\S{44}\n$/);
    const added = await remote.json<Added>("targets", "add", "contact", "ntfy:https://ntfy.sh/PATH-SECRET");
    expect(added).toEqual({ id: expect.any(String), secret: null });
    for (const args of [
      ["list", "contact"],
      ["get", added.id],
    ])
      expect((await remote.run(["targets", ...args, "--json"])).stdout).not.toMatch(/SECRET|whsec_/);
  });

  test("reads the target from standard input", async () => {
    await using remote = await openRemote();
    const { code } = await remote.run(["targets", "add", "contact", "-"], `${HOOK}\n`);
    expect(code).toBe(0);
    expect(remote.outgoing.checked).toEqual([{ kind: "webhook", url: HOOK }]);
  });

  test("refuses what is no target with exit 2, without its text, and a form there is not with exit 3", async () => {
    await using remote = await openRemote();
    for (const target of [
      "example.com/PATH-SECRET",
      "https://u:SECRET@example.com/",
      "mattermost:https://SECRET",
    ]) {
      const { code, stdout, stderr } = await remote.run(["targets", "add", "contact", target]);
      expect([target, code, stdout]).toEqual([target, 2, ""]);
      expect(stderr).not.toContain("SECRET");
    }
    expect((await remote.run(["targets", "add", "contact", "-"], "")).code).toBe(2);
    expect((await remote.run(["targets", "add", "contact"])).stderr).toBe(
      "error: the target is missing\nhint: write it after the command: formflag targets add contact <target>\n",
    );
    expect((await remote.run(["targets", "add", "nobody", HOOK])).code).toBe(3);
    remote.outgoing.refusal = new AppError("invalid", "10.0.0.1 is not public", {
      reason: "target-not-public",
    });
    expect((await remote.run(["targets", "add", "contact", HOOK])).code).toBe(2);
    expect(await remote.json<Added[]>("targets", "list", "contact")).toEqual([]);
  });
});

describe("targets", () => {
  test("are listed, shown, disabled, enabled and deleted", async () => {
    await using remote = await openRemote();
    const { id } = await remote.json<Added>("targets", "add", "contact", HOOK);
    const created = "2026-01-02T03:04:05.678Z";
    expect((await remote.run(["targets", "list", "contact"])).stdout).toBe(
      `TARGET          SENDS TO               STATE    CREATED\n${id}  https://example.com/…  enabled  ${created}\n`,
    );
    const disabled = await remote.json<object>("targets", "disable", id);
    expect(disabled).toMatchObject({ id, form: "contact", enabled: false, result: "updated" });
    expect(await remote.json<object>("targets", "disable", id)).toMatchObject({ result: "unchanged" });
    expect((await remote.run(["targets", "get", id])).stdout).toContain("state     disabled\n");
    expect((await remote.run(["targets", "enable", id])).stdout).toStartWith(`updated target ${id}\n`);
    const unconfirmed = await remote.run(["targets", "delete", id]);
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect(await remote.json<object>("targets", "delete", id, "--yes")).toEqual({ id, result: "deleted" });
    const gone = await remote.run(["targets", "get", id]);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain("hint: formflag targets list <form>");
  });

  test("are managed on a data directory too", async () => {
    const data = tempDirectory();
    const here = onData(data);
    const { key } = await here.json<{ key: string }>("forms", "create", "contact");
    const { id } = await plantTarget(data, key);
    expect(await here.json<object[]>("targets", "list", key)).toMatchObject([{ id, form: "contact" }]);
    expect(await here.json<object>("targets", "disable", id)).toMatchObject({ id, enabled: false });
    expect((await here.run("targets", "rotate", id)).stdout).toMatch(SECRET);
    await here.json("targets", "delete", id, "--yes");
    expect(await here.json<object[]>("targets", "list", "contact")).toEqual([]);
  });
});

describe("targets rotate", () => {
  test("prints a new secret, and ends the old one after the overlap or at once", async () => {
    await using remote = await openRemote();
    const { id, secret } = await remote.json<Added>("targets", "add", "contact", HOOK);
    const secrets = async () => (await remote.app.store.targets.find(id))!.secrets;
    const untils = async () =>
      (await secrets()).map(({ until }) => until && (until - remote.app.now()) / 3_600_000);
    const rotated = await remote.json<Added>("targets", "rotate", id);
    expect(rotated).toEqual({ id, secret: expect.stringMatching(SECRET) });
    expect((await secrets()).map((each) => each.secret)).toEqual([rotated.secret!, secret!]);
    expect(await untils()).toEqual([null, 24]);
    await remote.json("targets", "rotate", id, "--overlap", "2h");
    expect(await untils()).toEqual([null, 2, 2]);
    for (const overlap of ["none", "off", "0s"]) {
      const { stdout } = await remote.run(["targets", "rotate", id, "--overlap", overlap]);
      expect(stdout).toMatch(SECRET);
      expect(await untils()).toEqual([null]);
    }
  });

  test("refuses an overlap of more than 30 days or that is no time, and a chat service, with exit 2", async () => {
    await using remote = await openRemote();
    const { id } = await remote.json<Added>("targets", "add", "contact", HOOK);
    for (const overlap of ["31d", "soon", "-1h"]) {
      const { code, stderr } = await remote.run(["targets", "rotate", id, `--overlap=${overlap}`]);
      expect([overlap, code]).toEqual([overlap, 2]);
      expect(stderr).toStartWith("error: --overlap");
    }
    const chat = await remote.json<Added>("targets", "add", "contact", "ntfy:https://ntfy.sh/topic");
    expect((await remote.run(["targets", "rotate", chat.id])).code).toBe(2);
  });
});

describe("targets test", () => {
  test("exits 0 where the answer is 2xx, also of a disabled target", async () => {
    await using remote = await openRemote();
    const { id } = await remote.json<Added>("targets", "add", "contact", HOOK);
    await remote.run(["targets", "disable", id]);
    expect((await remote.run(["targets", "test", id])).stdout).toContain("the answer was 200");
    expect(await remote.json<object>("targets", "test", id)).toEqual({
      code: 200,
      error: null,
      outcome: "delivered",
      request: null,
    });
    expect(webhooksOf(remote.outgoing)).toHaveLength(2);
  });

  test("exits 6 with the reason otherwise, and 3 for a target there is not", async () => {
    await using remote = await openRemote();
    const { id } = await remote.json<Added>("targets", "add", "contact", HOOK);
    remote.outgoing.answer = () => unanswered("example.com did not answer within 15 s", true);
    const failed = await remote.run(["targets", "test", id]);
    expect({ code: failed.code, stdout: failed.stdout }).toEqual({ code: 6, stdout: "" });
    expect(failed.stderr).toContain("example.com did not answer within 15 s");
    const asJson = await remote.run(["targets", "test", id, "--json"]);
    expect(asJson.code).toBe(6);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ code: null, outcome: "retry" });
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: "unavailable" } });
    expect((await remote.run(["targets", "test", "nope"])).code).toBe(3);
  });
});

describe("the headers of a target", () => {
  test("are read from the command line, a file and standard input, and replaced by name", async () => {
    await using remote = await openRemote();
    const folder = tempDirectory();
    const [file, template] = [join(folder, "key"), join(folder, "body.json")];
    await Bun.write(file, "Bearer FILE-SECRET\n");
    await Bun.write(template, '{"text": "{{data.email}}"}');
    const headers = [
      "--header",
      `Authorization: @${file}`,
      "--header",
      "X-A: one, two",
      "--header",
      "X-B: -",
    ];
    const added = await remote.run(
      ["targets", "add", "contact", HOOK, "--body", `@${template}`, "--method", "PUT", ...headers, "--json"],
      "STDIN-SECRET\n",
    );
    expect(added.code).toBe(0);
    const { id } = JSON.parse(added.stdout) as Added;
    const stored = async () => (await remote.app.store.targets.find(id))!.request;
    expect(await stored()).toEqual({
      method: "PUT",
      headers: [
        { name: "Authorization", value: "Bearer FILE-SECRET" },
        { name: "X-A", value: "one, two" },
        { name: "X-B", value: "STDIN-SECRET" },
      ],
      body: '{"text": "{{data.email}}"}',
    });
    const shown = await remote.run(["targets", "get", id]);
    expect(shown.stdout).toContain("method    PUT\nheaders   Authorization, X-A, X-B\nbody      {");
    expect(shown.stdout).not.toMatch(/SECRET|one/);
    await remote.run([
      "targets",
      "set",
      id,
      "--header",
      "X-A: three",
      "--header",
      "authorization",
      "--body",
      "none",
    ]);
    expect(await stored()).toMatchObject({
      headers: [
        { name: "X-A", value: "three" },
        { name: "Authorization", value: "Bearer FILE-SECRET" },
      ],
      body: null,
    });
    await remote.run(["targets", "set", id, "--header", "none", "--method", "POST"]);
    expect(await stored()).toBeNull();
  });

  test("need a value, of which one is on standard input, and are for webhooks of submissions and notices", async () => {
    await using remote = await openRemote();
    const refused = async (...args: string[]) => {
      const { code, stderr } = await remote.run(["targets", "add", ...args], "");
      expect([args, code]).toEqual([args, 2]);
      return stderr;
    };
    expect(await refused("contact", HOOK, "--header", "X-A:")).toContain("--header 'X-A: @FILE'");
    expect(await refused("contact", HOOK, "--header", "X-A")).toContain(
      "the value of the header X-A is missing",
    );
    // A colon that was forgotten makes the value part of the name.
    const forgotten = await refused("contact", HOOK, "--header", "Authorization Bearer FORGOTTEN");
    expect(forgotten).toContain("header 1 is a name, a colon and a value");
    expect(forgotten).not.toContain("FORGOTTEN");
    expect(await refused("contact", "-", "--header", "X-A: -")).toContain("standard input can be read once");
    expect(await refused("contact", "slack:https://hooks.slack.com/a", "--header", "X-A: b")).toContain(
      "for webhooks",
    );
    expect(await refused("contact", HOOK, "--body", "{")).toContain("does not yield JSON");
    expect(await refused("-p", "default", "--on", "changes", HOOK, "--method", "PUT")).toContain(
      "--on goes without",
    );
    expect(await remote.json<Added[]>("targets", "list", "contact")).toEqual([]);
  });
});

test("targets test prints the request that was sent, without its secrets", async () => {
  const data = tempDirectory();
  const here = onData(data);
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  await here.run("forms", "create", "contact");
  const env = { FORMFLAG_TARGET_NETWORK: "127.0.0.1", FORMFLAG_DATA: data };
  const run = (...args: string[]) => formflag(args, { env });
  const url = `http://127.0.0.1:${server.port}/PATH-SECRET`;
  const request = [
    "--header",
    "X-A: HEADER-SECRET",
    "--body",
    '{"from": "{{data.email}}"}',
    "--method",
    "PUT",
  ];
  const added = await run("targets", "add", "contact", url, ...request, "--json");
  const { id } = JSON.parse(added.stdout) as Added;
  const { code, stdout } = await run("targets", "test", id);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^PUT http:\/\/127\.0\.0\.1:\d+\/…\n/);
  expect(stdout).toContain("X-A: …\n");
  expect(stdout).toContain('\n\n{"from": "ada@example.com"}\n\ntarget');
  expect(stdout).not.toContain("SECRET");
  await server.stop(true);
  const failed = await run("targets", "test", id);
  expect([failed.code, failed.stdout]).toEqual([6, expect.stringContaining('{"from": "ada@example.com"}')]);
});
