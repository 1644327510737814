import { createChainCheck } from "../../../src/access/audit/verify.ts";
import { DAY_MS, HOUR_MS } from "../../../src/base/days.ts";
import { ruleOfCondition } from "../../../src/flags/rules/condition-parser.ts";
import { conditionInWords } from "../../../src/flags/rules/condition-words.ts";
import { differencesInWords } from "../../../src/flags/rules/difference-words.ts";
import { ruleOfTable, tableOfRule } from "../../../src/flags/rules/rule-table.ts";
import { ruleClauses, ruleSentence, segmentSentence } from "../../../src/flags/rules/rule-words.ts";
import { MANIFEST_PATH } from "../../../src/http/paths.ts";
import { type Asked, request } from "./asking.ts";
import { AUDIT_DAYS } from "./jobs.ts";
import { ASIDE } from "./people.ts";
import type { World } from "./world.ts";

/** Conditions as people write them. */
const CONDITIONS = [
  "email ends_with @example.com",
  'plan is "pro" and age >= 18',
  "country in AT, DE or (version sem_ver >= 2.1.0 and not beta)",
  "name contains Ada",
  "user.plan starts_with p and age < 99",
  "staff",
  "email != ann@example.com",
  "segment staff and plan is free",
  "email matches ^[a-z]+@example",
  "ip in_cidr 10.0.0.0/8, 2001:db8::/32 or not ip in_cidr 192.0.2.0/24",
  "since before 2026-01-02T00:00:00Z and since after 2025-01-01T00:00:00+01:00",
];
const ON_OFF = { on: true, off: false };
const COLORS = { red: "r", blue: "b", green: "g" };
const FLAGS = ["one", "two", "three", "four"];
const CONTEXTS = [
  {},
  { email: "ann@example.com", age: 20, plan: "pro", targetingKey: "ann" },
  { country: "AT", ip: "10.1.2.3", since: "2025-06-01T00:00:00Z" },
  { email: "bob@example.org", ip: "2001:db8::7", since: 1_767_225_600_000, version: "2.1.0" },
];
const PERSONS = ["Ann", "Ben"];

/** Requests of the admin API, each with parameters drawn, on a project and a form that nothing else touches. */
export function walkSteps(world: World): (() => Promise<void>)[] {
  const { chance } = world.scheduler;
  const { db } = world;
  let numbers = 0;
  let secrets: { reader: string; writer: string; manifest: string } | undefined;
  const root = `/projects/${ASIDE}`;
  const environment = () => chance.pick(["develop", "staging"]);
  const flag = () => chance.pick(FLAGS);
  const placed = () => `${root}/environments/${environment()}`;
  const at = (ms: number) => new Date(world.scheduler.now() + ms).toISOString();
  const idOf = (sql: string): string => {
    const rows = db.query<{ id: string }, []>(sql).all();
    return rows.length === 0 ? "00000000-0000-7000-8000-000000000000" : chance.pick(rows).id;
  };
  const OWN = "(SELECT id FROM forms WHERE slug = 'aside')";
  const dashed =
    "lower(substr(hex(ID),1,8)||'-'||substr(hex(ID),9,4)||'-'||substr(hex(ID),13,4)||'-'||substr(hex(ID),17,4)||'-'||substr(hex(ID),21))";
  const submission = () =>
    idOf(`SELECT ${dashed.replaceAll("ID", "s.id")} AS id FROM submissions s WHERE s.form_id = ${OWN}`);
  const delivery = () =>
    idOf(
      `SELECT ${dashed.replaceAll("ID", "d.id")} AS id FROM deliveries d JOIN submissions s ON s.seq = d.submission_seq WHERE s.form_id = ${OWN}`,
    );
  const target = () => idOf(`SELECT id FROM targets WHERE form_id = ${OWN}`);

  const ruled = (): object => {
    const name = chance.pick(CONDITIONS);
    const variants = chance.once(2) ? ON_OFF : COLORS;
    const [serve, rest] = variants === ON_OFF ? ["", "25 %"] : ["blue", "30 % red, 70 % green"];
    let targeting: unknown = null;
    try {
      const table = { rows: [{ condition: name, serve }], rest: chance.once(2) ? rest : "" };
      targeting = ruleOfTable(table, variants);
      const shown = tableOfRule(targeting, variants);
      if (shown && !Bun.deepEquals(ruleOfTable(shown, variants), targeting))
        world.violated(`${name} is another rule once it was shown`);
      const condition = ruleOfCondition(name);
      const words = conditionInWords(condition);
      if (words !== null && !Bun.deepEquals(ruleOfCondition(words), condition))
        world.violated(`${name} is another condition once it was shown: ${words}`);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
    const patch = { variants, defaultVariant: Object.keys(variants)[0]!, targeting };
    ruleSentence(patch);
    ruleClauses(patch);
    segmentSentence(targeting);
    differencesInWords({ targeting: null }, patch);
    return patch;
  };
  const patch = (): object =>
    chance.pick<() => object>([
      () => ({ enabled: chance.once(2) }),
      () => ({ payload: chance.pick([1, "text", { a: [null] }, {}]) }),
      () => ({ description: `text ${chance.int(9)}`, expiredAt: at(3_600_000 * (chance.int(9) - 4)) }),
      () => ({
        isPreview: true,
        previewName: "New",
        previewContent: "# New\n\n*Try* [it](https://example.com)",
      }),
      () => ({ browser: chance.once(2) }),
      () => ({ metadata: { owner: "ann", n: chance.int(3) } }),
      () => ({ variants: null }),
      ruled,
      ruled,
    ])();
  const get = (path: string): Asked => ({ method: "GET", path });
  const post = (path: string, body?: unknown, method = "POST"): Asked => ({ method, path, body });
  const list = (path: string) => get(`${path}?limit=${1 + chance.int(5)}`);
  const document = (): object => ({
    projects: {
      [ASIDE]: {
        flags: {
          [flag()]: { description: "applied", environments: { develop: { enabled: chance.once(2) } } },
        },
      },
    },
    forms: { aside: { name: `Aside ${chance.int(3)}` } },
  });

  const requests: (() => Asked)[] = [
    () => post(`${placed()}/flags/${flag()}`, patch(), "PATCH"),
    () => post(`${placed()}/flags/${flag()}`, patch(), "PATCH"),
    () => post(`${placed()}/flags/${flag()}`, patch(), "PATCH"),
    () => post(`${placed()}/flags/${flag()}/evaluate`, { context: chance.pick(CONTEXTS) }),
    () => post(`${placed()}/flags/${flag()}/evaluate`, { contexts: CONTEXTS, patch: patch() }),
    () => post(`${placed()}/flags/${flag()}/for`, { patch: patch(), until: at(1000 + chance.int(60_000)) }),
    () =>
      post(`${placed()}/flags/${flag()}/scheduled`, { patch: patch(), at: at(1000 + chance.int(60_000)) }),
    () => post(`${placed()}/flags/${flag()}/rollback`, {}),
    () => post(`${placed()}/flags/${flag()}/rollback`, { to: 1 + chance.int(60) }),
    () => post(`${placed()}/segments/${chance.pick(["staff", "nested"])}`, { rule: segment() }, "PUT"),
    () => ({ method: "DELETE", path: `${placed()}/segments/${chance.pick(["staff", "nested"])}` }),
    () => ({ method: "DELETE", path: `${root}/flags/${flag()}` }),
    () =>
      post(`${root}/environments/develop/promote`, {
        from: "staging",
        segments: chance.once(2),
        dryRun: chance.once(2),
      }),
    () => post(`${root}/environments/staging/promote`, { from: "develop", flags: [flag()], segments: true }),
    () => post(`${root}/environments`, { slug: "extra", from: environment() }),
    () => ({ method: "DELETE", path: `${root}/environments/extra` }),
    () =>
      post(
        `${root}/environments/${environment()}`,
        { name: "Named", color: chance.pick(["red", "green", null]) },
        "PATCH",
      ),
    () =>
      post(`${placed()}/flagd`, {
        flags: {
          [flag()]: {
            state: "ENABLED",
            variants: COLORS,
            defaultVariant: "red",
            targeting: { if: [{ $ref: "staff" }, "blue", "red"] },
          },
        },
        $evaluators: { staff: { "==": [{ var: "plan" }, "pro"] } },
      }),
    () => get(`${placed()}/flagd`),
    () => list(`${placed()}/flags`),
    () => get(`${placed()}/flags/${flag()}`),
    () => list(`${placed()}/segments`),
    () => get(`${placed()}/segments/staff`),
    () => list(`${root}/history`),
    () => list(`${root}/flags/${flag()}/history`),
    () => get(`${root}/scheduled`),
    () => ({
      method: "DELETE",
      path: `${placed()}/scheduled/${idOf("SELECT s.id FROM scheduled_changes s JOIN environments e ON e.id = s.environment_id JOIN projects p ON p.id = e.project_id WHERE p.slug = 'aside'")}`,
    }),
    () => get(`${root}/stale`),
    () => list(`${root}/flags/${flag()}/feedback`),
    () => get(`${root}/flags/${flag()}/ratings`),
    () => ({ method: "DELETE", path: `${root}/flags/${flag()}/feedback` }),
    () =>
      post(
        `${root}/code-refs`,
        {
          branch: chance.pick(["main", "next"]),
          projectName: "web",
          references: {
            [flag()]: [{ filePath: "a.ts", lineNumber: 1, lineContent: "if (one)" }],
            other: [{ filePath: "b.ts", lineNumber: 2, lineContent: "x" }],
          },
        },
        "PUT",
      ),
    () => get(`${root}/code-refs`),
    () => ({ method: "DELETE", path: `${root}/code-refs?branch=next` }),
    () =>
      post(
        root,
        {
          name: `Aside ${chance.int(3)}`,
          codeUrl: chance.pick([null, "https://code.example/{path}#L{line}"]),
        },
        "PATCH",
      ),
    () => get(`/export?project=${ASIDE}`),
    () => post("/apply", { document: document(), dryRun: chance.once(3) }),
    () => post("/forms/aside", setting(), "PATCH"),
    () => post("/forms/aside", setting(), "PATCH"),
    () => list("/forms"),
    () => get("/forms/aside"),
    () => post("/forms/aside/test"),
    () => list("/forms/aside/history"),
    () =>
      post("/forms/aside/targets", {
        target: chance.pick([
          "https://8.8.8.8/aside",
          "slack:https://8.8.8.8/hook",
          "discord:https://8.8.8.8/api",
          "ntfy:https://8.8.8.8/topic",
          "telegram:https://8.8.8.8/botX/sendMessage?chat_id=1",
          "gotify:https://8.8.8.8/message?token=x",
        ]),
      }),
    () => list("/forms/aside/targets"),
    () => get(`/targets/${target()}`),
    () => post(`/targets/${target()}`, { enabled: chance.once(2) }, "PATCH"),
    () => post(`/targets/${target()}/test`),
    () => post(`/targets/${target()}/rotate`, {}),
    () => ({ method: "DELETE", path: `/targets/${target()}` }),
    () => list("/forms/aside/submissions"),
    () => get(`/forms/aside/submissions?q=Ada&field=${encodeURIComponent("name=Ada")}`),
    () => get(`/forms/aside/submissions/export?format=${chance.pick(["csv", "json", "jsonl"])}`),
    () =>
      post(
        "/forms/aside/submissions/import",
        `${JSON.stringify({ data: { marker: `i${(numbers += 1)}`, name: "Imp" } })}\n`,
      ),
    () => get(`/submissions/${submission()}`),
    () => get(`/submissions/${submission()}/timeline`),
    () =>
      post("/submissions/mark-matching", {
        form: "aside",
        mark: chance.pick(["archived", "spam", "inbox", "read"]),
      }),
    () => post("/submissions/delete-matching", { form: "aside", state: "spam", dryRun: chance.once(2) }),
    () => post("/submissions/delete", { ids: [submission()] }),
    () => post("/submissions/purge", { field: "name", value: "Imp" }),
    () => get(`/deliveries?form=aside&limit=3`),
    () => get(`/deliveries/${delivery()}`),
    () => post("/deliveries/retry", { ids: [delivery()] }),
    () => post("/mail/test", { address: "ann@example.com" }),
    () => list("/users"),
    () => get("/users/ann"),
    () => list("/tokens"),
    () => list("/sessions"),
    () => list(`${root}/members`),
    () =>
      post(
        `${root}/members/${chance.pick(["ann", "ben", "cyd"])}`,
        {
          role: chance.pick(["viewer", "editor"]),
          ...(chance.once(3) && { role: "releaser", environments: ["staging"] }),
        },
        "PUT",
      ),
    () => ({ method: "DELETE", path: `${root}/members/${chance.pick(["ann", "ben"])}` }),
    () => list(`${root}/invitations`),
    () => get(`/audit?limit=5&action=${chance.pick(["session", "token.create", "form"])}`),
    () => get(`/audit?project=${ASIDE}&who=operator`),
    () => list("/history"),
    () => list(`${root}/people`),
    () => get(`${root}/people/${chance.pick(PERSONS)}`),
    () => post(`${root}/people/${chance.pick(PERSONS)}`, { context: chance.pick(CONTEXTS) }, "PUT"),
    () => ({ method: "DELETE", path: `${root}/people/${chance.pick(PERSONS)}` }),
    () =>
      post(
        `${root}/flags/${flag()}`,
        chance.pick([
          { archived: chance.once(2) },
          { owner: "ann", permanent: chance.once(2) },
          { tags: ["a", "b"] },
        ]),
        "PATCH",
      ),
    () => list(`${root}/code-refs`),
    () => ({ method: "DELETE", path: `${root}/code-refs?name=web` }),
    () =>
      post(`/submissions/${submission()}/replies`, {
        text: chance.pick(["Thank you, {{name}}.", "We will see.\r\n\r\nann"]),
      }),
    () => ({ ...get(MANIFEST_PATH), secret: secrets?.manifest ?? "none" }),
    () => ({
      ...post(
        `${MANIFEST_PATH}/flags`,
        chance.pick([
          { key: flag(), type: "boolean", defaultValue: false, description: "told" },
          { key: flag(), type: "string", defaultValue: "r" },
          { key: flag(), type: "object", defaultValue: { a: 1 } },
          { key: flag(), type: "integer", defaultValue: "r" },
        ]),
      ),
      secret: secrets?.manifest ?? "none",
    }),
    () => ({
      ...post(
        `${MANIFEST_PATH}/flags/${flag()}`,
        { type: "boolean", description: `told ${chance.int(9)}` },
        "PUT",
      ),
      secret: secrets?.manifest ?? "none",
    }),
    () => get("/stats"),
    () => get("/me"),
    () => list("/projects"),
    () => get(root),
  ];

  function segment(): unknown {
    const rule = chance.pick([
      () => ruleOfCondition("email ends_with @example.com or plan is pro"),
      () => ({ $ref: "staff" }),
      () => chance.once(2),
    ])();
    return rule;
  }
  function setting(): object {
    return chance.pick<() => object>([
      () => ({
        notify: chance.pick([[], ["ann@example.com", "ben@example.com"]]),
        notifySubject: chance.pick([null, "From {{name}}"]),
      }),
      () => ({
        autoreply: chance.once(2),
        autoreplySubject: "Hello {{name}}",
        autoreplyText: "We got {{#text}}{{text}}{{/text}}.",
        emailField: chance.pick([null, "email"]),
      }),
      () => ({ attach: chance.pick([0, 1_000_000]), metadata: chance.pick(["none", "truncated", "full"]) }),
      () => ({
        spamWords: chance.pick([[], ["casino", "cas*"]]),
        spamLinks: chance.pick([null, 2]),
        spamDisposable: chance.once(2),
      }),
      () => ({
        spamEmails: ["*@spam.example"],
        duplicates: chance.pick([null, 60]),
        spam: chance.pick(["keep", "reject"]),
      }),
      () => ({
        schema: chance.pick([
          null,
          {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string", maxLength: 100 }, email: { format: "email" } },
          },
        ]),
      }),
      () => ({
        allowedTypes: chance.pick([[], [".txt", "image/*"]]),
        allowedOrigins: chance.pick([[], ["https://example.com", "https://*.example.com"]]),
      }),
      () => ({
        opensAt: chance.pick([null, at(-1000)]),
        closesAt: chance.pick([null, at(3_600_000)]),
        maxSubmissions: chance.pick([null, 500]),
      }),
      () => ({ challenge: chance.once(2), honeypots: chance.pick([[], ["website"]]) }),
      () => ({
        rateLimit: chance.pick([null, { count: 30, seconds: 10 }]),
        successMessage: chance.pick([null, "Thanks"]),
      }),
      () => ({ challenge: false, spam: "keep", schema: null, opensAt: null, closesAt: null, enabled: true }),
    ])();
  }

  const createSecrets = async () => {
    const made = async (name: string, scopes: string[], project?: string) => {
      const token = { name, scopes, ...(project !== undefined && { project }) };
      const answer = await request(world, chance.pick(world.servers), post("/tokens", token));
      return answer.value?.["token"] as string | undefined;
    };
    const [reader, writer, manifest] = [
      await made("reader", ["read"]),
      await made("writer", ["flags:locked", "forms:write"]),
      await made("manifest", ["flags:write"], ASIDE),
    ];
    if (reader !== undefined && writer !== undefined && manifest !== undefined)
      secrets = { reader, writer, manifest };
  };

  return [
    async function walk() {
      if (!secrets && chance.once(3)) await createSecrets();
      const asked = chance.pick(requests)();
      const who = chance.int(6);
      const drawn = who === 0 ? secrets?.reader : who === 1 ? secrets?.writer : undefined;
      const { secret = drawn } = asked;
      const { code } = await request(world, chance.pick(world.servers), { ...asked, secret });
      world.scheduler.note(`${asked.method} ${asked.path} ${code}`);
      const isRead = asked.method === "GET" || asked.path.endsWith("/evaluate");
      const isDry = (asked.body as { dryRun?: boolean } | undefined)?.dryRun === true;
      if (code === "ok" && secret !== undefined && secret === secrets?.reader && !isRead && !isDry)
        world.violated(`${asked.method} ${asked.path} was done for a reader`);
    },
  ];
}

/** The audit log is one chain from its first entry on, which is no older than entries are kept. */
export async function requireAudit(world: World): Promise<void> {
  const { value } = await request(world, world.servers[0], { method: "GET", path: "/audit/export" });
  const chain = createChainCheck();
  for (const line of ((value?.["text"] ?? "") as string).split("\n")) {
    const fault = line === "" ? null : chain.add(line);
    if (fault !== null) world.violated(`the audit log: ${fault}`);
  }
  if (chain.count() === 0) world.violated("the audit log is empty");
  // The newest of those that are removed stays.
  const second = world.db
    .query<{ at: number }, []>("SELECT at FROM audit ORDER BY id LIMIT 1 OFFSET 1")
    .get();
  // The job looks every six hours, by a clock that may be an hour off.
  const age = second ? world.scheduler.now() - second.at - 7 * HOUR_MS : 0;
  if (age > AUDIT_DAYS * DAY_MS) world.violated("the audit log has entries that are too old");
}
