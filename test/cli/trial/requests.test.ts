import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { setFlag } from "../../../src/flags/flags.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openSites } from "../../support/site.ts";

const CASES = readFileSync(join(import.meta.dir, "requests.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [sent = "", expected = ""] = line.split(" => ");
    const [request = "", kind = "", body = ""] = sent.split(" |").map((part) => part.trim());
    const [method = "", path = ""] = request.split(" ");
    const [status = "", ...says] = expected.split(" ");
    return { line, method, path, kind, body, status: Number(status), says: says.join(" ") };
  });

test("what newcomers send works, or is refused with what to send", async () => {
  const { app, services, openSite } = openSites();
  const { ask } = openSite(services);
  const { key } = await createForm(app, OPERATOR, { slug: "contact" });
  const project = await createProject(app, OPERATOR, { slug: "shop" });
  const environment = project.environments.find(({ slug }) => slug === "staging")!;
  const place = { project: "shop", environment: "staging", flag: "nc" };
  await setFlag(app, OPERATOR, place, { enabled: true, payload: { color: "green" } });
  const json = { "content-type": "application/json" };
  const headersOf: Record<string, Record<string, string>> = {
    none: {},
    keys: { ...json, "x-project-key": project.key, "x-environment-key": environment.key },
    "no-environment": { "x-project-key": project.key },
    "wrong-keys": { "x-project-key": "aaaa-bbbb-cccc", "x-environment-key": "aaaa-bbbb-cccc" },
  };
  const wrong: unknown[] = [];
  for (const { line, method, path, kind, body, status, says } of CASES) {
    const headers = headersOf[kind] ?? { "content-type": kind };
    const answer = await ask(path.replace("$KEY", key), { method, headers, ...(body !== "" && { body }) });
    const text = (await answer.text()).replaceAll("&#39;", "'");
    if (answer.status !== status || !text.includes(says)) wrong.push({ line, status: answer.status, text });
  }
  expect(CASES.length).toBeGreaterThan(45);
  expect(wrong).toEqual([]);
});
