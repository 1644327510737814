import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { serveOptions } from "../../../cli/serve/options.ts";
import { formflag } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

/** One line of `cases.txt`; the cases run in their order on the same data. */
type Case = { line: string; code: number; says: string };

const CASES = readFileSync(join(import.meta.dir, "cases.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((text): Case => {
    const [line = "", expected = ""] = text.split(" => ");
    const [code = "", ...says] = expected.split(" ");
    return { line, code: code === "ok" ? 0 : Number(code), says: says.join(" ") };
  });

const SETUP = [
  "projects create default",
  "forms create contact",
  "forms create jobs",
  "projects create shop",
  "projects create web",
  "environments create locked1 -p shop",
  'flags set nc -p shop -e staging --on --payload {"color":"green"}',
  "flags set new-checkout -p shop -e production",
  "flags set sale -p shop -e develop",
  "environments lock locked1 -p shop",
  "tokens create x",
];

const FILES = {
  "wrong-flag.yaml": "projects:\n  shop:\n    flag:\n      nc: {}\n",
  "wrong-enabled.yaml": "projects:\n  shop:\n    flags:\n      nc:\n        enabled: true\n",
  "wrong-env.yaml":
    "projects:\n  shop:\n    flags:\n      nc:\n        environments:\n          prod:\n            enabled: true\n",
  "wrong-form.yaml": "forms:\n  contact:\n    notfy: [a@x.org]\n",
  "wrong-type.yaml": "forms:\n  contact:\n    maxFiles: many\n",
  "broken.yaml": "forms:\n  contact: [\n",
  "dup.yaml": "forms:\n  contact: {}\n  contact: {}\n",
  "broken.json": '{"forms": {"contact": {,}}}',
  "empty.yaml": "",
  "list.yaml": "- a\n",
  "prune.yaml": "projects:\n  shop:\n    flags: {}\n",
  "list-of-environments.yaml": "projects:\n  shop:\n    environments: [production]\n",
  "good.yaml": "forms:\n  contact: {}\n",
  "x.yaml": "forms:\n  contact: {}\n",
  "good.jsonl": '{"name":"ann"}\n',
  "on-in-environment.yaml":
    "projects:\n  shop:\n    flags:\n      nc:\n        environments:\n          production: on\n",
  "rollout-of-flag.yaml": "projects:\n  shop:\n    flags:\n      nc:\n        rollout: 10\n",
  "list-of-forms.yaml": "forms:\n  - contact\n",
  "fields.yaml": "forms:\n  contact:\n    fields: [name]\n",
  "retention-in-days.yaml": "forms:\n  contact:\n    retention: 90d\n",
  "notify-text.yaml": "forms:\n  contact:\n    notify: a@x.org\n",
  "size-in-mb.yaml": "forms:\n  contact:\n    maxFileSize: 10MB\n",
  "list-of-flags.yaml": "projects:\n  shop:\n    flags:\n      - nc\n",
  "enabled-yes.yaml":
    "projects:\n  shop:\n    flags:\n      nc:\n        environments:\n          production:\n            enabled: yes\n",
  "flag-true.yaml": "projects:\n  shop:\n    flags:\n      nc: true\n",
  "flags-at-top.yaml": "flags:\n  nc: {}\n",
  "version-key.yaml": "version: 1\nprojects: {}\n",
  "segments-of-project.yaml": "projects:\n  shop:\n    segments:\n      staff: {}\n",
  "project-key.yaml": "projects:\n  shop:\n    key: abc\n",
  "webhooks.yaml": "forms:\n  contact:\n    webhooks: [https://x]\n",
  "tabs.yaml": "forms:\n\tcontact: {}\n",
  "rollout-of-environment.yaml":
    "projects:\n  shop:\n    flags:\n      nc:\n        environments:\n          production:\n            rollout: 25\n",
  "if-of-environment.yaml":
    "projects:\n  shop:\n    flags:\n      nc:\n        environments:\n          production:\n            if: plan is pro\n",
  "comma.json": '{"projects": {"shop": {}},}',
  "uploads-text.yaml": 'forms:\n  contact:\n    uploads: "on"\n',
  "closes-tomorrow.yaml": "forms:\n  contact:\n    closesAt: tomorrow\n",
  "project-with-space.yaml": "projects:\n  my shop: {}\n",
  hostname: "server-1\n",
  "c.csv": "name,message\nann,hi\n",
};

/** The words of a line, as a shell splits it. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
}

test("what newcomers type works, or is refused with what to type", async () => {
  const data = tempDirectory();
  const cwd = tempDirectory();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  const run = (line: string) => {
    const words = wordsOf(line);
    const isElsewhere = words.some((word) => word === "--data" || word === "--server");
    return formflag(isElsewhere ? words : [...words, "--data", data], { cwd, env: { HOME: cwd } });
  };
  for (const line of SETUP) expect((await run(line)).code, line).toBe(0);
  expect(CASES.length).toBeGreaterThan(1000);
  const wrong: unknown[] = [];
  for (const { line, code, says } of CASES) {
    const answer = await run(line);
    const text = answer.stdout + answer.stderr;
    const isBad = /too many arguments|internal error|Expected \d/.test(text);
    if (answer.code !== code || !text.includes(says) || isBad) wrong.push({ line, code, says, answer });
  }
  expect(wrong).toEqual([]);
}, 120_000);

test("every switch in the environment that is neither yes nor no is refused", async () => {
  const switches = serveOptions()
    .filter((option) => !option.required && !option.optional && option.envVar !== undefined)
    .map(({ envVar }) => envVar!);
  expect(switches).toContain("FORMFLAG_NO_DASHBOARD");
  for (const name of ["FORMFLAG_INSECURE", ...switches])
    expect(await formflag(["projects", "list"], { env: { [name]: "maybe" } })).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: ${name}=maybe is neither yes nor no\nhint: write ${name}=1, or unset it\n`,
    });
});
