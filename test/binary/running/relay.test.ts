import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { runExecutable, startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import {
  bearer,
  behindOf,
  evaluation,
  isReady,
  readAll,
  startRelay,
  startSource,
} from "../../support/peers/source.ts";

const source = await startSource();
const { server, keysOf, set, tokens, cli } = source;
const keys = keysOf("production");

async function readHero(url: string): Promise<{ status: number; enabled: boolean }> {
  const answer = await fetch(`${url}/api/v1/flags/hero`, { headers: keys });
  return { status: answer.status, ...((await answer.json()) as { enabled: boolean }) };
}

test("a relay answers at every address as its source does, and has nothing else", async () => {
  const relay = await startRelay(server.url, tokens.relay);
  const expected = await readAll(server.url, source);
  expect(await readAll(relay.url, source)).toEqual(expected);
  for (const path of ["/dashboard", "/api/admin/v1/projects", "/v1/s/key", "/api/v1/flags/preview", "/"]) {
    const answer = await fetch(relay.url + path);
    const { error } = (await answer.json()) as { error: unknown };
    const message = `this server follows ${server.url} and has only its flags: ask that server`;
    expect([path, answer.status, error]).toEqual([path, 404, { code: "not_found", message }]);
  }
  const ready = await fetch(`${relay.url}/readyz`);
  expect(await ready.json()).toEqual({ status: "ready", following: server.url, behind: 0 });
  const metrics = await (await fetch(`${relay.url}/metrics`)).text();
  expect(metrics).toContain(`formflag_following_behind_seconds{source="${server.url}"} 0`);
  const file = join(relay.data, "following.jsonl");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const state = readFileSync(file, "utf8");
  for (const token of Object.values(tokens)) expect(state).not.toContain(token);
  expect(await relay.stop()).toBe(0);
});

test("a change, a new environment and a new token are there without a restart, and a relay follows a relay", async () => {
  const first = await startRelay(server.url, tokens.relay);
  const second = await startRelay(first.url, tokens.relay);
  for (const enabled of [false, true, false]) {
    await set("hero", enabled ? "--on" : "--off");
    await eventually("both have the change", async () => {
      const both = await Promise.all([first.url, second.url].map(readHero));
      return both.every((each) => each.enabled === enabled);
    });
  }
  const { key } = await cli.json<{ key: string }>("environments", "create", "later", "-p", "shop");
  const token = await source.tokenFor("later", "flags:evaluate", "-p", "shop", "-e", "later");
  await eventually("the environment is there", async () => {
    const headers = { ...keys, "x-environment-key": key };
    const byKeys = await fetch(`${second.url}/api/v1/flags`, { headers });
    const byToken = await fetch(`${second.url}/ofrep/v1/evaluate/flags`, evaluation(bearer(token), {}));
    return byKeys.status === 200 && byToken.status === 200;
  });
  await cli.json("environments", "delete", "later", "-p", "shop", "--yes");
  await eventually("the keys of the environment are refused", async () => {
    const headers = { ...keys, "x-environment-key": key };
    return (await fetch(`${second.url}/api/v1/flags`, { headers })).status === 401;
  });
  expect(await readAll(second.url, source)).toEqual(await readAll(server.url, source));
});

test("members that a form brings into a segment are in it on a relay too, and leave it there", async () => {
  const place = ["-p", "shop", "-e", "develop"];
  const form = await cli.json<{ key: string }>("forms", "create", "beta", "-p", "shop");
  const submit = async (email: string) => {
    const init = {
      method: "POST",
      body: JSON.stringify({ email }),
      headers: { "Content-Type": "application/json" },
    };
    const answer = await fetch(`${server.url}/v1/s/${form.key}?mode=rest`, init);
    return ((await answer.json()) as { id: string }).id;
  };
  await submit("early@example.com");
  await cli.json("segments", "set", "testers", "--from-form", "beta", "--field", "email", ...place);
  await cli.json("flags", "create", "trial", "-p", "shop");
  await cli.json(
    "flags",
    "set",
    "trial",
    "--on",
    "--if",
    "segment testers",
    "--then",
    "on",
    "--else",
    "off",
    ...place,
  );
  const relay = await startRelay(server.url, tokens.relay);
  const isIn = async (email: string) => {
    const context = evaluation(keysOf("develop"), { email });
    const answer = await fetch(`${relay.url}/ofrep/v1/evaluate/flags/trial`, context);
    return ((await answer.json()) as { value?: boolean }).value === true;
  };
  await eventually("the first member", () => isIn("early@example.com"));
  expect(await isIn("late@example.com")).toBe(false);
  const id = await submit("late@example.com");
  await eventually("the second member", () => isIn("late@example.com"));
  await cli.json("submissions", "delete", id, "--yes");
  await eventually("the member has left", async () => !(await isIn("late@example.com")));
  expect(await isIn("early@example.com")).toBe(true);
  await relay.stop("SIGKILL");
  const again = await startRelay(server.url, tokens.relay, { data: relay.data });
  await eventually("the relay follows", async () => (await behindOf(again.url)) === 0);
  expect(await readAll(again.url, source)).toEqual(await readAll(server.url, source));
});

test("a token of one environment brings that one and its tokens alone", async () => {
  const relay = await startRelay(server.url, tokens.sync);
  const state = readFileSync(join(relay.data, "following.jsonl"), "utf8");
  expect(state).toContain(keysOf("production")["x-environment-key"]);
  for (const environment of ["develop", "staging"])
    expect(state).not.toContain(keysOf(environment)["x-environment-key"]);
  expect((await readHero(relay.url)).status).toBe(200);
  const others = await fetch(`${relay.url}/api/v1/flags`, { headers: keysOf("develop") });
  expect(others.status).toBe(401);
});

test("a relay that starts without its source answers from its disk, and says how far it is behind", async () => {
  const lone = await startSource();
  const relay = await startRelay(lone.server.url, lone.tokens.relay);
  const expected = await readAll(relay.url, lone);
  await lone.server.stop("SIGKILL");
  await relay.stop("SIGKILL");
  const again = await startRelay(lone.server.url, lone.tokens.relay, { data: relay.data });
  const answers = (await readAll(again.url, lone)) as Record<string, { status: number; body: string }>;
  for (const name of ["flag", "flags", "develop", "all", "flagd", "colour"])
    expect(answers[name]!.body).toEqual((expected[name] as { body: string }).body);
  const { behind } = (await (await fetch(`${again.url}/readyz`)).json()) as { behind: number };
  expect(behind).toBeGreaterThan(0);
  await again.stop();
  const strict = await startRelay(lone.server.url, lone.tokens.relay, {
    data: relay.data,
    args: ["--max-stale", "1s"],
    isAway: true,
  });
  await eventually("it is too old", async () => !(await isReady(strict.url)));
  const refused = await fetch(`${strict.url}/api/v1/flags`, { headers: lone.keysOf("production") });
  expect(refused.status).toBe(503);
});

test("a revoked token empties the relay, and a new one in the same file fills it again", async () => {
  const token = await source.tokenFor("fleeting", "flags:sync", ...source.place);
  const relay = await startRelay(server.url, token);
  await cli.json("tokens", "revoke", "fleeting", "--yes");
  await eventually("the relay is empty", async () => (await readHero(relay.url)).status === 401, 5000);
  expect(await isReady(relay.url)).toBe(false);
  // It stops serving first, then removes the file.
  await eventually("the file is gone", () => !existsSync(join(relay.data, "following.jsonl")), 5000);
  writeFileSync(relay.tokenFile, tokens.sync);
  await eventually("the relay has flags again", async () => (await readHero(relay.url)).status === 200);
});

test("reads and events go back, each once, also those from while the source was away", async () => {
  const lone = await startSource();
  const listen = new URL(lone.server.url).host;
  const relay = await startRelay(lone.server.url, lone.tokens.relay);
  const read = () => fetch(`${relay.url}/api/v1/flags/hero`, { headers: lone.keysOf("production") });
  for (let count = 0; count < 5; count += 1) await read();
  // A provider that evaluates in its own process sends its counts again where their answer was lost.
  for (const address of [relay.url, lone.server.url])
    await fetch(`${address}/flagd/v1.json`, {
      method: "POST",
      headers: { ...bearer(lone.tokens.sync), "Idempotency-Key": "lost" },
      body: JSON.stringify({ reads: { hero: { on: 3 } } }),
    });
  await lone.server.stop("SIGKILL");
  for (let count = 0; count < 7; count += 1) expect((await read()).status).toBe(200);
  expect(await relay.stop()).toBe(0);
  expect(readdirSync(join(relay.data, "spool"))).toHaveLength(1);
  const again = await startRelay(lone.server.url, lone.tokens.relay, { data: relay.data, isAway: true });
  await startServer(["--listen", listen], { data: lone.server.data });
  const counted = async () =>
    (await lone.cli.json<{ reads: number }[]>("flags", "reads", "hero", "-p", "shop"))[0]?.reads;
  await eventually("the reads are counted", async () => (await counted()) === 15);
  await again.stop();
  expect(await counted()).toBe(15);
});

test("commands on the directory of a relay, and options of a source, are refused with what to do", async () => {
  const relay = await startRelay(server.url, tokens.relay);
  const refused = await onData(relay.data).run("flags", "list", "-p", "shop");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("belongs to a server that follows another one");
  const start = (...args: string[]) =>
    runExecutable(["serve", "--follow", server.url, "--listen", "127.0.0.1:0", ...args], {
      env: { FORMFLAG_TOKEN: tokens.relay },
    });
  for (const args of [
    ["--domain", "example.com"],
    ["--threads", "2"],
    ["--database", "postgres://a/b"],
    ["--mcp"],
    ["--audit-file", "audit.jsonl"],
  ]) {
    const { code, stderr } = await start(...args);
    expect([args[0], code, stderr]).toEqual([
      args[0],
      2,
      expect.stringContaining("does not go with --follow"),
    ]);
  }
  const { code, stderr } = await start("--data", server.data);
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("has data of its own")]);
  const plain = await runExecutable(["serve", "--follow", "http://flags.example.com"], {
    env: { FORMFLAG_TOKEN: "x" },
  });
  expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining("in transit")]);
  const named = await runExecutable(["serve", "--follow", "https://ann:secret@flags.example.com"], {
    env: { FORMFLAG_TOKEN: "x" },
  });
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining("without a user")]);
  const status = await onData(relay.data).run("status");
  expect(status.stdout).toContain(server.url);
  const doctor = await onData(relay.data).run("doctor", "--token-file", relay.tokenFile);
  expect(doctor.stdout).toContain("follows");
});

test("a token that other users may read is named once, with the command that changes it", async () => {
  const folder = tempDirectory();
  chmodSync(folder, 0o755);
  const tokenFile = join(folder, "relay.token");
  writeFileSync(tokenFile, tokens.relay, { mode: 0o644 });
  const follow = ["--follow", server.url, "--token-file", tokenFile];
  const relay = await startServer(follow);
  await eventually("the relay has flags", () => isReady(relay.url));
  const advice = `chmod go= ${tokenFile}`;
  expect(relay.stderr().split(advice)).toHaveLength(2);
  const cli = onData(relay.data);
  const doctor = async () => (await cli.run("doctor", "--token-file", tokenFile)).stdout;
  expect(await doctor()).toContain(advice);
  chmodSync(tokenFile, 0o600);
  expect(await doctor()).not.toContain(advice);
});
