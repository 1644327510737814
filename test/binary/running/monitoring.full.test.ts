import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { programAt } from "../../support/needs.ts";
import { tempDirectory } from "../../support/temp.ts";

const PAGE = await Bun.file(join(import.meta.dir, "../../../docs/guides/monitoring.md")).text();
const [scrape, rules] = [...PAGE.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text!);

const promtool = programAt("promtool", "the page about monitoring");

/** Runs promtool on a text, and returns what it complains of. */
async function complaints(command: string[], text: string): Promise<string> {
  const file = join(tempDirectory(), "file.yml");
  await Bun.write(file, text);
  const args = command.includes("metrics") ? command : [...command, file];
  const stdin = command.includes("metrics") ? new Blob([text]) : "ignore";
  const child = Bun.spawn([promtool!, ...args], { stdin, stdout: "pipe", stderr: "pipe" });
  const texts = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
  return (await child.exited) === 0 ? "" : texts.join("");
}

/** What a server with a backup shows after a submission. */
async function metricsOf(): Promise<string> {
  const server = await startServer(["--metrics-listen", "127.0.0.1:0"], { addresses: 2 });
  const here = onData(server.data);
  const { key } = await here.json<{ key: string }>("forms", "create", "contact");
  await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
    method: "POST",
    body: new URLSearchParams({ a: "b" }),
  });
  await here.json("backup", "create", "-o", join(tempDirectory(), "backup.tar"));
  return (await fetch(`${server.urls[1]}/metrics`)).text();
}

describe("monitoring.md", () => {
  test("names every metric of a server with its type, and no other", async () => {
    const metrics = await metricsOf();
    const types = [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`);
    expect(rows.toSorted()).toEqual(types.toSorted());
  });

  test("has alerts on metrics that there are", async () => {
    const metrics = await metricsOf();
    const named = rules!.matchAll(/\b(?:formflag|process)_\w+/g);
    for (const [name] of named) expect(metrics).toContain(`\n${name.replace(/_(?:count|bucket)$/, "")}`);
  });

  test.skipIf(promtool === null)("has six alerts and a configuration that Prometheus accepts", async () => {
    expect(rules!.match(/- alert:/g)).toHaveLength(6);
    expect(await complaints(["check", "rules"], rules!)).toBe("");
    const config = scrape!.replace(/ +authorization:\n.*\n/, "");
    expect(await complaints(["check", "config"], config)).toBe("");
    expect(await complaints(["check", "metrics"], await metricsOf())).toBe("");
  });
});
