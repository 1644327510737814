import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { App } from "../../../src/app.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createChallengerSource } from "../../../src/forms/intake/challenge.ts";
import { createForm, setForm } from "../../../src/forms/forms.ts";
import { FORM_SCHEMA } from "../../support/records/form-schema.ts";
import { OPERATOR, type Outcome, ask } from "./asking.ts";
import { outside } from "./outside.ts";
import { ASIDE } from "./people.ts";
import type { World } from "./world.ts";

type Fields = Record<string, string>;

/** How a submission is sent. */
export type Posted = {
  fields: Fields;
  file: { name: string; type: string; text: string } | null;
  key: string | null;
  /** The last part of the address of the sender. */
  sender?: number;
};

const CODES: Record<number, string> = {
  400: "invalid",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  413: "too_large",
  415: "unsupported",
  422: "unprocessable",
  429: "rate_limited",
  503: "unavailable",
};

/** Asks the public services of a server, as a client from elsewhere. Returns the answer if it is none of an error. */
export function visit(
  world: World,
  path: string,
  init: RequestInit,
  of: "forms" | "flags" | "previews" | "ofrep",
  sender = 7,
): Promise<Outcome<Response>> {
  const client = { address: `198.51.100.${sender}`, isLocal: false };
  return ask(world, world.scheduler.chance.pick(world.servers), async ({ services }) => {
    const { [of]: service } = services();
    const { routes } = typeof service === "function" ? await service() : service;
    const answer = await routes.fetch(new Request(`https://forms.example${path}`, init), { client });
    if (answer.status < 400) return answer;
    const text = await answer.text();
    const code = CODES[answer.status];
    if (code === undefined) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    throw new AppError(code as "invalid", text);
  });
}

function bodyOf(world: World, { fields, file }: Posted): { type?: string; body: string | FormData } {
  const json = { type: "application/json", body: JSON.stringify(fields) };
  const encoded = { type: "application/x-www-form-urlencoded", body: String(new URLSearchParams(fields)) };
  if (!file) return world.scheduler.chance.pick([json, encoded]);
  const boundary = "---------------------------9051914041544843365972754266";
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const { name, type, text } = file;
  parts.push(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`,
  );
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: `${parts.join("")}--${boundary}--\r\n`,
  };
}

/** Posts to the address of a form over HTTP. Returns the id. */
export async function postOver(
  world: World,
  formKey: string,
  posted: Posted,
  origin?: string,
): Promise<Outcome<{ id: string }>> {
  const { type, body } = bodyOf(world, posted);
  const headers = {
    ...(type && { "content-type": type }),
    ...(posted.key !== null && { "idempotency-key": posted.key }),
    ...(origin !== undefined && { origin }),
    "user-agent": "Firefox",
    "accept-language": "de-AT, en",
    referer: "https://example.com/page?secret=1",
  };
  const path = `/v1/s/${formKey}?mode=rest`;
  const answered = await visit(world, path, { method: "POST", headers, body }, "forms", posted.sender);
  if (!answered.value) return { code: answered.code };
  return { code: "ok", value: (await answered.value.json()) as { id: string } };
}

/** A challenge of a form, solved: that takes a second or two. */
async function solved(app: App, formKey: string): Promise<string> {
  const challenger = await createChallengerSource(app)();
  const challenge = await outside(challenger.create(formKey));
  const solution = await outside(solveChallenge({ challenge, deriveKey }));
  return Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
}

/** Steps of senders to a form that operators change all the time, and of readers of flags. */
export async function visitSteps(world: World): Promise<(() => Promise<void>)[]> {
  const { chance } = world.scheduler;
  const { app } = world.servers[0]!;
  const aside = await createForm(app, OPERATOR, { slug: "aside", project: ASIDE, uploads: true });
  await setForm(app, OPERATOR, "aside", {
    notify: ["ann@example.com"],
    notifySubject: "From {{name}}",
    autoreply: true,
    autoreplyText: "We got {{#text}}{{text}}{{/text}}.",
  });
  const puzzle = await createForm(app, OPERATOR, {
    slug: "puzzle",
    project: ASIDE,
    challenge: true,
    spam: "reject",
  });
  const paged = await createForm(app, OPERATOR, {
    slug: "paged",
    project: ASIDE,
    page: true,
    schema: FORM_SCHEMA,
  });
  const [project] = [(await app.store.projects.find(ASIDE))!];
  const environment = project.environments.find(({ slug }) => slug === "develop")!;
  const keys = { "x-project-key": project.key, "x-environment-key": environment.key };
  const json = { ...keys, "content-type": "application/json" };
  let numbers = 0;

  const answer = async ({ value }: Outcome<Response>) => (value ? value.text() : "");
  const read = (of: "flags" | "previews" | "ofrep", path: string, init: RequestInit = {}) =>
    visit(world, path, { headers: keys, ...init }, of).then(answer);
  const evaluate = (path: string, context: object) =>
    read("ofrep", `/ofrep/v1/evaluate/flags${path}`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ context }),
    });
  const context = () =>
    chance.pick([
      { targetingKey: `user-${chance.int(50)}`, plan: "pro", age: chance.int(40), version: "2.3.1" },
      { targetingKey: "ann", email: "ann@example.com", country: chance.pick(["AT", "FR"]), beta: true },
      { targetingKey: "bob", user: { plan: "pro" }, name: "Ada" },
    ]);
  let altcha = world.seed % 8 === 3 ? await solved(app, puzzle.key) : null;

  return [
    async function senders() {
      const fields: Fields = {
        marker: `a${(numbers += 1)}`,
        name: chance.pick(["Ada", "Ben", "Imp"]),
        email: chance.pick(["ann@example.com", "bob@spam.example", "none", "x@mailinator.com"]),
        text: chance.pick([
          "hello",
          "the casino",
          "see https://a.example and https://b.example and https://c.example",
        ]),
        ...(chance.once(9) && { _gotcha: "bot" }),
        ...(chance.once(9) && { website: "bot" }),
        ...(chance.once(5) && { _idempotency: `f${chance.int(20)}` }),
      };
      const file = chance.once(3)
        ? chance.pick([
            { name: "a.txt", type: "text/plain", text: "text" },
            { name: "b.png", type: "image/png", text: "\x89PNG\r\n\x1a\n" },
            { name: "c.exe", type: "application/octet-stream", text: "MZ" },
          ])
        : null;
      const origin = chance.pick([undefined, "https://www.example.com", "https://evil.example"]);
      const posted = {
        fields,
        file,
        key: chance.once(4) ? `a${chance.int(9)}` : null,
        sender: chance.int(9),
      };
      const { code } = await postOver(world, aside.key, posted, origin);
      world.scheduler.note(`aside ${code}`);
    },
    async function pages() {
      const key = chance.pick([aside.key, paged.key]);
      const fields = {
        name: "Ada Lovelace!",
        size: "1",
        consent: "true",
        motto: "ABC",
        email: "ada@example.com",
      };
      const body = String(new URLSearchParams(chance.once(3) ? { name: "A" } : fields));
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      await visit(world, `/v1/f/${key}`, {}, "forms").then(answer);
      await visit(world, `/v1/f/${key}`, { method: "POST", headers, body }, "forms", chance.int(9)).then(
        answer,
      );
    },
    async function readers() {
      const path = `/${chance.pick(["one", "two", "three", "four"])}`;
      await evaluate(chance.pick(["", path]), context());
      await read("flags", `/api/v1/flags${chance.pick(["", path])}`);
      await read("previews", "/api/v1/flags/preview");
      const body = JSON.stringify({
        flagKey: path.slice(1),
        mood: "HAPPY",
        rating: 1 + chance.int(5),
        description: "good",
      });
      await read("previews", "/api/v1/flags/preview/feedback", { method: "POST", headers: json, body });
    },
    async function puzzles() {
      if (altcha === null) return;
      const fields = { name: "Ada", altcha };
      altcha = null;
      const post = () => postOver(world, puzzle.key, { fields, file: null, key: null });
      const done = (await Promise.all([post(), post()])).filter(({ code }) => code === "ok");
      world.scheduler.note(`puzzle ${done.length}`);
      if (done.length > 1) world.violated("a challenge counted twice");
    },
  ];
}
