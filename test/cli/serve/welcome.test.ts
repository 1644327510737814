import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { readServing } from "../../../cli/data/serving.ts";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { atTerminal } from "../../support/terminal.ts";

const serve = (data: string, ...args: string[]) =>
  atTerminal(["serve", "--data", data, "--listen", "127.0.0.1:0", ...args], {}, 60);

const stop = async (data: string, server: ReturnType<typeof atTerminal>) => {
  server.type("\x03");
  const { code, screen } = await server.ends();
  expect(code).toBe(0);
  expect(existsSync(join(data, "serving.json"))).toBe(false);
  return screen.replaceAll("\r", "");
};

test("at a terminal, a new server says where its data is, how to sign in and what to type next", async () => {
  const data = join(tempDirectory(), "new");
  const server = serve(data);
  await server.shows("Next, in another terminal");
  const { origin, dashboard } = JSON.parse(readFileSync(join(data, "serving.json"), "utf8"));
  expect(dashboard).toBe(origin);
  const screen = await stop(data, server);
  expect(screen).toContain(`listening on ${origin}\n`);
  expect(screen).toContain(`data       ${data}\n`);
  expect(screen).toContain(`dashboard  ${origin}/dashboard\n`);
  expect(screen).toMatch(/sign in {4}http:\S+\/dashboard\/link\/[\w-]{43}\n/);
  expect(screen).toContain("The link works once, within 15 minutes");
  // Once there is a form or a project, a second start says no more than where everything is.
  expect((await onData(data).run("forms", "create", "contact")).code).toBe(0);
  const again = serve(data);
  await again.shows("dashboard");
  const second = await stop(data, again);
  expect(second).toContain(`data       ${data}\n`);
  expect(second).not.toMatch(/sign in|once|Next/);
});

test("the link at the start signs in, and a server without a dashboard offers none", async () => {
  const data = join(tempDirectory(), "new");
  const server = serve(data, "--base-path", "/flags");
  await server.shows("Next, in another terminal");
  const { dashboard } = JSON.parse(readFileSync(join(data, "serving.json"), "utf8"));
  expect(dashboard).toEndWith("/flags");
  server.type("\x03");
  const link = /http:\S+\/link\/\S+/.exec((await server.ends()).screen)?.[0];
  expect(link).toStartWith(`${dashboard}/dashboard/link/`);
  const without = serve(data, "--no-dashboard");
  await without.shows("Next");
  expect(await stop(data, without)).not.toContain("dashboard");
});

test("without a terminal a start says nothing of it, and creates no user", async () => {
  const { data, stderr } = await startServer();
  expect(stderr()).toMatch(/^listening on \S+\n$/);
  expect(await onData(data).json("users", "list")).toEqual([]);
});

test("what a killed server recorded of its address does not count", async () => {
  const { data, url, stop } = await startServer();
  expect(readServing(data)).toMatchObject({ origin: url, dashboard: url });
  await stop("SIGKILL");
  expect(existsSync(join(data, "serving.json"))).toBe(true);
  expect(readServing(data)).toBeNull();
});

test("users link prints a whole address of the server that runs on the data", async () => {
  const { data, url, stop } = await startServer();
  const { stdout, stderr } = await onData(data).run("users", "link");
  expect(stdout).toStartWith(`${url}/dashboard/link/`);
  expect(stderr).not.toContain("put the address");
  expect((await fetch(stdout.trim())).status).toBe(200);
  const elsewhere = await formflag(["users", "link", "--data", data], {
    env: { FORMFLAG_DASHBOARD_URL: "https://x.example" },
  });
  expect(elsewhere.stdout).toStartWith("https://x.example/dashboard/link/");
  await stop();
  expect((await onData(data).run("users", "link")).stdout).toStartWith("/dashboard/link/");
});
