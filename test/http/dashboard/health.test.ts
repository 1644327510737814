import { expect, test } from "bun:test";
import { type Finding, ok, problem, warning } from "../../../src/maintenance/finding.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";

const LOCAL: Finding[] = [
  ok("disk space", "1 GB free"),
  warning("mail", "no mail server", "give the server --smtp-url or --mail-url: mail waits until then"),
  warning("clock", "it is wrong", "set it: timedatectl set-ntp true"),
  problem("owner", "it belongs to \u202e<b>", "take it"),
];

test("health lists what the doctor finds, and connects only where that is asked for", async () => {
  const asked: boolean[] = [];
  const findings = async (connects: boolean) => {
    asked.push(connects);
    return connects ? [...LOCAL, ok("mail", "accepts connections")] : LOCAL;
  };
  const dashboard = openDashboard(openTestApp(), { findings });
  const admin = await dashboard.signIn("admin");
  const { text } = await admin.get("/health");
  expect(text).toContain("1 problem, 3 warnings");
  expect(text).toContain("␦&lt;b&gt;");
  expect(text).toMatch(/<code><bdi dir="auto">timedatectl set-ntp true/);
  expect(text).toMatch(/<code class="nowrap">--smtp-url<\/code><bdi dir="auto"> or <\/bdi>/);
  expect(text.indexOf("owner")).toBeLessThan(text.indexOf("clock"));
  expect(text).toContain("users without a password and a passkey: 1 of 1");
  expect(text).not.toContain("accepts connections");
  expect((await admin.get("/health?connections=1")).text).toContain("accepts connections");
  // The navigation counts what the doctor finds, without connections.
  expect(asked.filter(Boolean)).toEqual([true]);
});

test("health is for admins", async () => {
  const dashboard = openDashboard(openTestApp());
  const releaser = await dashboard.signIn("releaser");
  expect((await releaser.get("/health")).status).toBe(403);
  expect((await releaser.get("")).text).not.toContain('href="/dashboard/health"');
});
