import { describe, expect, test } from "bun:test";
import type { Project } from "../../../src/projects/project.ts";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** A data directory with a form that got submissions on several days. */
async function openForms() {
  const data = tempDirectory();
  const commands = onData(data);
  await commands.run("forms", "create", "contact");
  await commands.run("forms", "create", "orders");
  const lines = [...Array.from({ length: 8 }, () => dayAgo(1)), dayAgo(2), dayAgo(2), dayAgo(40)]
    .map((createdAt) => JSON.stringify({ data: { a: 1 }, createdAt }))
    .concat(JSON.stringify({ data: {}, createdAt: dayAgo(2), state: "spam" }));
  const stdin = `${lines.join("\n")}\n`;
  expect(await formflag(["submissions", "import", "contact", "-", "--data", data], { stdin })).toMatchObject({
    code: 0,
  });
  const draw = (env: Record<string, string>, ...args: string[]) =>
    formflag(["stats", "--data", data, ...args], { env: { COLUMNS: "44", ...env } });
  return { ...commands, draw };
}

describe("stats", () => {
  test("shows what each form holds and draws the submissions of each day", async () => {
    const { draw } = await openForms();
    const { stdout, stderr } = await draw({ LANG: "C.UTF-8" }, "--days", "4");
    const day = (days: number) => dayAgo(days).slice(0, 10);
    expect(stdout).toBe(
      [
        "FORM     INBOX  UNREAD  SPAM  ARCHIVED",
        "contact     11       0     1         0",
        "orders       0       0     0         0",
        "",
        "DAY         INBOX  SPAM",
        `${day(3)}      0     0`,
        `${day(2)}      2     1  █████░░`,
        `${day(1)}      8     0  ███████████████████`,
        `${day(0)}      0     0`,
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("");
  });

  test("draws in ASCII where the locale is not UTF-8", async () => {
    const { draw } = await openForms();
    const { stdout } = await draw({ LC_ALL: "de_DE.ISO-8859-1" }, "--days", "3");
    expect(stdout).toContain("  2     1  #####..\n");
    expect(/[^\x00-\x7f]/.test(stdout)).toBe(false);
  });

  test("is JSON, of one form, with a field alone, and on an empty data directory", async () => {
    const commands = await openForms();
    const stats = await commands.json<Record<string, unknown[]>>(
      "stats",
      "--form",
      "contact",
      "--days",
      "60",
    );
    expect(Object.keys(stats)).toEqual(["forms", "submissions", "deliveries", "reads", "commits"]);
    expect(stats["submissions"]).toHaveLength(3);
    expect((await commands.run("stats", "--field", "deliveries.failed")).stdout).toBe("0\n");
    const empty = onData(tempDirectory());
    await empty.run("projects", "create", "shop");
    expect((await empty.run("stats", "--days", "1")).stdout).toContain("FORM  INBOX");
  });

  test("refuses wrong days and an unknown form", async () => {
    const { run } = await openForms();
    for (const days of ["0", "many", "-1", "1.5", "367"])
      expect((await run("stats", "--days", days)).code).toBe(2);
    expect((await run("stats", "--form", "nothing")).code).toBe(3);
  });

  test("counts the reads of a server, which stores them when it stops", async () => {
    const server = await startServer();
    const commands = onData(server.data);
    const { key, environments } = await commands.json<Project>("projects", "create", "shop");
    await commands.run("flags", "set", "sale", "-p", "shop", "-e", environments[0]!.slug, "--on");
    const headers = { "x-project-key": key, "x-environment-key": environments[0]!.key };
    for (const path of ["flags/sale", "flags/sale", "flags"])
      expect((await fetch(`${server.url}/api/v1/${path}`, { headers })).status).toBe(200);
    expect(await server.stop()).toBe(0);
    const { reads } = await commands.json<{ reads: { one: number; all: number }[] }>("stats");
    expect([reads.length, reads[0]!.one, reads[0]!.all]).toEqual([1, 2, 1]);
    expect((await commands.run("stats")).stdout).toContain(
      "In the last 24 hours:\nPROJECT  ENVIRONMENT  READS OF A FLAG  READS OF ALL FLAGS\n",
    );
  });
});
