import { afterAll, expect, test } from "bun:test";
import { openApp } from "../../cli/data/open.ts";
import { newSession } from "../../src/access/sign-in.ts";
import { NO_BROWSER } from "../../src/access/session.ts";
import type { ProposalView } from "../../src/documents/changes/proposal.ts";
import { formflag, onData } from "../support/commands.ts";
import { totpCode, totpStep } from "../../src/access/factors/totp.ts";
import { apply } from "../support/records/apply.ts";
import { random } from "../support/records/records.ts";
import { startServer } from "../support/executable.ts";
import { atTerminal } from "../support/terminal.ts";
import { tempDirectory } from "../support/temp.ts";

const LIVE = ["-p", "shop", "-e", "live"];

/** A data directory with a project whose environment `live` needs an approval. */
async function begin() {
  const data = tempDirectory();
  const commands = onData(data);
  const json = <T>(...args: string[]): Promise<T> => commands.json<T>(...args);
  const run = (...args: string[]) => commands.run(...args);
  await run("projects", "create", "shop", "--environments", "live");
  await run("environments", "set", "live", "-p", "shop", "--approvals", "1");
  return { data, run, json };
}

test("the refusals of proposals and of lower approvals say what to type", async () => {
  const { run, json } = await begin();
  const hinted = async (...args: string[]) => (await run(...args)).stderr;
  const set = ["flags", "set", "sale", ...LIVE, "--on", "--why", "ready"];
  expect(await hinted(...set, "--propose", "7d")).toContain(
    "hint: a time follows an equals sign: --propose=7d",
  );
  const { change } = await json<{ change: ProposalView }>(...set, "--propose=7d");
  expect(await hinted("changes", "apply", change.id, "-p", "shop")).toContain(
    `formflag changes approve ${change.id} -p shop`,
  );
  expect(await hinted("changes", "get", "nosuch", "-p", "shop")).toContain("formflag changes list -p shop");
  const lower = ["environments", "set", "live", "-p", "shop", "--approvals", "0"];
  expect(await hinted(...lower)).toContain("hint: add --confirm live to lower");
  expect(await hinted(...lower, "--bypass", "--why", "x")).toContain(
    "hint: leave out --bypass, and add --confirm live to lower",
  );
  const deletion = ["delete", "live", "-p", "shop", "--yes"];
  expect(await hinted("environments", ...deletion, "--bypass")).toContain("hint: leave out --bypass\n");
  for (const what of [
    ["environments", ...deletion],
    ["projects", "delete", "shop", "--yes"],
  ]) {
    const environment = what[0] === "projects" ? "<environment>" : "live";
    expect(await hinted(...what)).toContain(
      `formflag environments set ${environment} -p shop --approvals 0 --confirm ${environment}`,
    );
  }
  const tighter = await run("environments", "set", "live", "-p", "shop", "--approve-with", "totp");
  expect(tighter.code).toBe(0);
  const looser = ["environments", "set", "live", "-p", "shop", "--approve-with", "none"];
  expect(await hinted(...looser)).toContain("hint: add --confirm live to lower");
  expect((await run(...looser, "--confirm", "live")).code).toBe(0);
});

test("a change that needs approvals is refused with what to type, and proposed with it", async () => {
  const { run, json } = await begin();
  const refused = await run("flags", "set", "sale", ...LIVE, "--on");
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("add --propose") });
  const proposed = await run("flags", "set", "--propose", "sale", ...LIVE, "--on", "--why", "ready");
  expect(proposed).toMatchObject({ code: 0, stdout: expect.stringContaining("create flag sale in live") });
  const { change } = await json<{ change: ProposalView }>(
    "segments",
    "set",
    "staff",
    ...LIVE,
    "--rule",
    "true",
    "--propose=1h",
  );
  expect(Date.parse(change.expiresAt) - Date.parse(change.createdAt)).toBe(3_600_000);
  expect(await json<ProposalView[]>("changes", "list", "-p", "shop")).toMatchObject([
    { id: change.id },
    { why: "ready", status: "open" },
  ]);
  const { stdout } = await run("changes", "get", change.id, "-p", "shop");
  expect(stdout).toContain("create segment projects.shop");
  const { change: on } = await json<{ change: ProposalView }>("flags", "set", "b", ...LIVE, "--propose");
  expect((await run("changes", "get", on.id, "-p", "shop")).stdout).toContain("impact: b: 0 reads an hour");
  expect((await run("changes", "withdraw", on.id, "-p", "shop")).code).toBe(0);
  expect((await run("changes", "approve", change.id, "-p", "shop")).stderr).toContain("only a person");
  expect((await run("changes", "apply", change.id, "-p", "shop")).code).toBe(4);
  expect((await run("changes", "withdraw", change.id, "-p", "shop")).code).toBe(0);
  expect((await run("flags", "set", "sale", ...LIVE, "--propose=soon", "--on")).code).toBe(2);
  expect((await run("projects", "create", "other", "--propose")).code).toBe(2);
  expect((await run("environments", "set", "live", "-p", "shop", "--approvals", "0")).code).toBe(2);
  expect(
    (await run("environments", "set", "live", "-p", "shop", "--approvals", "0", "--confirm", "live")).code,
  ).toBe(0);
});

test("an admin bypasses approvals with a reason, which the history shows", async () => {
  const { run } = await begin();
  expect((await run("flags", "set", "sale", ...LIVE, "--on", "--bypass")).stderr).toContain("add --why");
  expect((await run("flags", "set", "sale", ...LIVE, "--on", "--bypass", "--why", "fire")).code).toBe(0);
  expect((await run("flags", "history", "sale", ...LIVE)).stdout).toContain("without approvals");
});

test("over a server a login approves and applies what a token has proposed", async () => {
  const { data, run, json } = await begin();
  const { token } = await json<{ token: string }>(
    "tokens",
    "create",
    "ci",
    "--scope",
    "flags:write",
    "-p",
    "shop",
  );
  await run("users", "create", "ann", "--role", "releaser");
  const app = await openApp({ data, writing: "inline" });
  const { secret, stored } = newSession(app, "ann", "cli", NO_BROWSER, app.now() + 3_600_000);
  await app.store.sessions.insert(stored, null);
  await app[Symbol.asyncDispose]();
  const server = await startServer([], { data });
  const over = (who: string, ...args: string[]) =>
    formflag([...args, "--server", server.url], { env: { FORMFLAG_TOKEN: who } });
  const proposed = await over(token, "flags", "set", "sale", ...LIVE, "--on", "--propose", "--json");
  expect(proposed.code).toBe(0);
  const { change } = JSON.parse(proposed.stdout) as { change: ProposalView };
  expect((await over(token, "changes", "approve", change.id, "-p", "shop")).code).toBe(4);
  const stale = ["--etag", "0".repeat(64)];
  expect((await over(secret, "changes", "approve", change.id, "-p", "shop", ...stale)).code).toBe(5);
  const approved = await over(secret, "changes", "approve", change.id, "-p", "shop", "--etag", change.etag);
  expect(approved.stdout).toContain("1 of 1 approvals");
  expect((await over(token, "changes", "apply", change.id, "-p", "shop")).code).toBe(0);
  expect((await over(token, "flags", "get", "sale", ...LIVE, "--field", "enabled")).stdout).toBe("true\n");
});

test("an approval that takes a factor is given with a code from standard input, or says where to give it", async () => {
  const { data, run, json } = await begin();
  const environment = (...args: string[]) => run("environments", "set", "live", "-p", "shop", ...args);
  expect((await environment("--approve-with", "totp")).stdout).toContain("approve with totp");
  expect((await run("environments", "get", "live", "-p", "shop")).stdout).toMatch(/approve with +totp/);
  await run("users", "create", "ann", "--role", "releaser");
  const app = await openApp({ data, writing: "inline" });
  const key = random(20);
  const totp = { name: "ann", key, step: 1, recovery: [], at: app.now(), keep: null };
  await apply(app.store, { change: "setTotp", ...totp });
  const { secret, stored } = newSession(app, "ann", "cli", NO_BROWSER, app.now() + 3_600_000);
  await app.store.sessions.insert(stored, null);
  await app[Symbol.asyncDispose]();
  const server = await startServer(["--dashboard-url", "https://flags.example.com"], { data });
  const propose = async (flag: string) =>
    (await json<{ change: ProposalView }>("flags", "set", flag, ...LIVE, "--on", "--propose")).change;
  const change = await propose("sale");
  expect(change.approveWith).toBe("totp");
  expect((await run("changes", "get", change.id, "-p", "shop")).stdout).toContain(
    "approval takes a code of your authenticator app\n",
  );
  const operator = atTerminal(["changes", "approve", change.id, "-p", "shop", "--data", data]);
  const { code: refused, screen } = await operator.ends();
  expect([refused, screen]).toEqual([4, expect.stringContaining("only a person who is signed in")]);
  expect(screen).not.toContain("approve this change?");
  expect((await run("changes", "approve", change.id, "-p", "shop")).stderr).toContain("only a person");
  const approve = (args: string[], stdin = "") =>
    formflag(["changes", "approve", change.id, "-p", "shop", "--server", server.url, ...args], {
      env: { FORMFLAG_TOKEN: secret },
      stdin,
    });
  const bare = await approve([]);
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("--code -")]);
  const seen = await approve(["--code", "123456"]);
  expect([seen.code, seen.stderr]).toEqual([2, expect.stringContaining("others on this machine")]);
  const wrong = await approve(["--code", "-"], "000000\n");
  expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining("the code is wrong")]);
  const code = totpCode(key, totpStep(Date.now()));
  expect((await approve(["--code", "-"], `${code}\n`)).stdout).toContain("1 of 1 approvals");
  const shown = await run("changes", "get", change.id, "-p", "shop");
  expect(shown.stdout).toContain("approved by ann with a code of an authenticator app");
  expect((await environment("--approve-with", "none")).code).toBe(2);
  expect((await environment("--approve-with", "passkey")).code).toBe(0);
  const passkey = await approve(["--etag", change.etag]);
  expect([passkey.code, passkey.stderr]).toEqual([
    2,
    expect.stringContaining(`open https://flags.example.com/dashboard/projects/shop/changes/${change.id}`),
  ]);
  expect((await environment("--approve-with", "none", "--confirm", "live")).stdout).toContain(
    "approve with none",
  );
});

/** A proxy of a server, with the method and the verb of each request to a change. */
function noted(url: string) {
  const requests: string[] = [];
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      const [, verb] = /\/changes\/[^/]+(?:\/(\w+))?$/.exec(pathname) ?? [];
      requests.push(`${request.method} ${verb ?? ""}`.trim());
      return fetch(url + pathname + search, request);
    },
  });
  afterAll(() => proxy.stop(true));
  return { url: proxy.url.origin, requests };
}

test("an approval at a terminal is one request for the change and one for the approval, and a refused one asks nothing", async () => {
  const { data, run, json } = await begin();
  const app = await openApp({ data, writing: "inline" });
  const secretOf = async (name: string, role: string) => {
    await run("users", "create", name, "--role", role);
    const { secret, stored } = newSession(app, name, "cli", NO_BROWSER, app.now() + 3_600_000);
    await app.store.sessions.insert(stored, null);
    return secret;
  };
  const [ann, bob, eve] = [
    await secretOf("ann", "releaser"),
    await secretOf("bob", "releaser"),
    await secretOf("eve", "editor"),
  ];
  const { token } = await json<{ token: string }>("tokens", "create", "ci", "--scope", "flags:locked");
  const server = await startServer([], { data });
  const proposal = ["flags", "set", "sale", ...LIVE, "--on", "--propose", "--json", "--server", server.url];
  const proposed = await formflag(proposal, { env: { FORMFLAG_TOKEN: ann } });
  const { change } = JSON.parse(proposed.stdout) as { change: ProposalView };
  const { url, requests } = noted(server.url);
  const approving = (secret: string) => {
    requests.length = 0;
    const args = ["changes", "approve", change.id, "-p", "shop", "--server", url];
    return atTerminal(args, { FORMFLAG_TOKEN: secret });
  };
  for (const [secret, refusal] of [
    [ann, "you cannot review your own change"],
    [eve, "lacks the scope flags:locked"],
    [token, "only a person who is signed in reviews a change"],
  ] as const) {
    const { code, screen } = await approving(secret).ends();
    expect([code, screen]).toEqual([4, expect.stringContaining(refusal)]);
    expect(screen).not.toContain("approve this change?");
    expect(requests).toEqual(["GET", "POST approve"]);
  }
  const asked = approving(bob);
  await asked.shows("approve this change?");
  expect(requests).toEqual(["GET"]);
  asked.type("y\r");
  expect((await asked.ends()).screen).toContain("1 of 1 approvals");
  expect(requests).toEqual(["GET", "POST approve"]);
  const again = await approving(bob).ends();
  expect([again.code, again.screen]).toEqual([
    5,
    expect.stringContaining("you have approved this change already"),
  ]);
  await app[Symbol.asyncDispose]();
});

test("a token limited to an environment applies and refreshes the changes of that one alone", async () => {
  const { data, run, json } = await begin();
  await run("environments", "set", "live", "-p", "shop", "--approvals", "0", "--confirm", "live");
  await run("environments", "create", "next", "-p", "shop");
  const proposal = ["flags", "set", "sale", ...LIVE, "--on", "--propose"];
  const { change } = await json<{ change: ProposalView }>(...proposal);
  await run("users", "create", "ann", "--role", "releaser");
  const app = await openApp({ data, writing: "inline" });
  const { secret, stored } = newSession(app, "ann", "cli", NO_BROWSER, app.now() + 3_600_000);
  await app.store.sessions.insert(stored, null);
  await app[Symbol.asyncDispose]();
  const { url } = await startServer([], { data });
  const over = async (who: string, verb: string) => {
    const args = ["changes", verb, change.id, "-p", "shop", "--server", url];
    const { code, stderr } = await formflag(args, { env: { FORMFLAG_TOKEN: who } });
    return [code, stderr] as const;
  };
  const tokenFor = async (environment: string) => {
    const place = ["--scope", "flags:locked", "-p", "shop", "-e", environment];
    return (await json<{ token: string }>("tokens", "create", environment, ...place)).token;
  };
  const [live, next] = [await tokenFor("live"), await tokenFor("next")];
  expect(await over(secret, "approve")).toEqual([0, ""]);
  for (const verb of ["refresh", "apply"])
    expect(await over(next, verb)).toEqual([4, expect.stringContaining("limited to the environment next")]);
  expect(await over(live, "refresh")).toEqual([0, ""]);
  expect(await over(live, "apply")).toEqual([0, ""]);
  expect((await run("flags", "get", "sale", ...LIVE, "--field", "enabled")).stdout).toBe("true\n");
});

test("a deletion is proposed without --yes, since it deletes nothing", async () => {
  const { run, json } = await begin();
  for (const flag of ["sale", "other"])
    await run("flags", "set", flag, ...LIVE, "--bypass", "--why", "first");
  for (const flags of [["sale"], ["sale", "other"]])
    expect(await run("flags", "delete", ...flags, "-p", "shop", "--propose")).toMatchObject({
      code: 0,
      stderr: "",
    });
  expect((await json<unknown[]>("flags", "list", ...LIVE)).length).toBe(2);
});

test("the list of changes marks those that bypassed approvals", async () => {
  const { run } = await begin();
  await run("flags", "set", "sale", ...LIVE, "--on", "--bypass", "--why", "fire");
  await run("flags", "set", "other", ...LIVE, "--on", "--propose");
  const { stdout } = await run("changes", "list", "-p", "shop");
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/)[1])).toEqual([
    "STATUS",
    "open",
    "applied, bypass",
    undefined,
  ]);
});

test("a description needs no approval, also by the name of the environment; with anything else it does", async () => {
  const { run, json } = await begin();
  const set = (...args: string[]) => run("flags", "set", "sale", ...LIVE, ...args);
  expect(await set("--description", "x")).toMatchObject({ code: 4 });
  await set("--on", "--bypass", "--why", "first");
  expect(await set("--description", "x", "--owner", "ann", "--tag", "a")).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(await run("flags", "set", "sale", "-p", "shop", "--description", "y")).toMatchObject({ code: 0 });
  expect(await set("--description", "z", "--off")).toMatchObject({ code: 4 });
  expect(await json("flags", "get", "sale", ...LIVE)).toMatchObject({ description: "y", enabled: true });
  expect(await run("flags", "archive", "sale", "-p", "shop")).toMatchObject({ code: 4 });
});

test("a lock covers no description, also by the name of the environment", async () => {
  const commands = onData(tempDirectory());
  const run = (...args: string[]) => commands.run(...args);
  await run("projects", "create", "shop", "--environments", "live");
  await run("flags", "set", "sale", ...LIVE, "--on");
  await run("environments", "lock", "live", "-p", "shop");
  expect(await run("flags", "set", "sale", ...LIVE, "--description", "x")).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(await run("flags", "set", "sale", "-p", "shop", "--owner", "ann")).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(await run("flags", "set", "sale", ...LIVE, "--description", "y", "--off")).toMatchObject({
    code: 2,
  });
});

test("the summary of a proposal counts a flag once, in however many environments it changes", async () => {
  const { data, run } = await begin();
  await run("environments", "create", "next", "-p", "shop");
  const summaryOf = async (flags: object, segments?: object) => {
    const environments = segments && { next: { segments } };
    const file = `${data}/change.json`;
    await Bun.write(
      file,
      JSON.stringify({ projects: { shop: { flags, ...(environments && { environments }) } } }),
    );
    const { stdout } = await run("apply", file, "--propose");
    return /of project shop: (.*)/.exec(stdout)?.[1];
  };
  const on = { environments: { live: { enabled: true }, next: { enabled: true } } };
  expect(await summaryOf({ sale: on })).toBe("create flag sale in live, next");
  expect(await summaryOf({ sale: on, other: on })).toBe("create flag sale and flag other in live, next");
  expect(await summaryOf({ a: on, b: on, c: on }, { staff: true })).toBe(
    "create 1 segment and 3 flags in live, next",
  );
});
