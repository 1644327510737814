import { describe, expect, test } from "bun:test";
import { setForm } from "../../../src/forms/forms.ts";
import { deleteSubmission } from "../../../src/forms/keeping/submission-deletion.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { type Sent, file, json, multipart, openInbox, plain, text, urlencoded } from "../../support/inbox.ts";

const { app, newForm, send, open, storingNothing, refused, stored } = openInbox();

describe("a form with opening times", () => {
  test("takes submissions from one moment on and before the other", async () => {
    const at = (seconds: number) => new Date(app.clock.now + seconds * 1000).toISOString();
    const [opensAt, closesAt] = [at(10), at(20)];
    const form = await newForm({ opensAt, closesAt });
    expect(await refused(form, plain, 409)).toContain(opensAt);
    app.clock.now += 9999;
    await refused(form, plain, 409);
    app.clock.now += 1;
    await stored(form, plain);
    app.clock.now += 9999;
    await stored(form, plain);
    app.clock.now += 1;
    expect(await refused(form, plain, 409)).toContain(closesAt);
  });

  test("refuses before it looks at the body", async () => {
    const form = await newForm({ closesAt: "2020-01-01T00:00:00Z" });
    await refused(form, { body: "{", type: "text/plain" }, 409);
  });
});

describe("a form with a limit", () => {
  test("takes so many, of hundreds at once too, and then says 409", async () => {
    const form = await newForm({ maxSubmissions: 7, uploads: true });
    const sent = Array.from({ length: 200 }, (_, index) =>
      index % 3 === 0 ? multipart(file("a.txt", String(index))) : json({ index }),
    );
    const answers = await Promise.all(sent.map((each) => send(form.key, each)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 409)).toHaveLength(193);
    expect(await app.store.submissions.count(form.key)).toBe(7);
    await refused(form, multipart(file("a.txt", "x")), 409);
    expect(await stored(form, urlencoded("a=1&_gotcha=x"))).toMatchObject({ state: "spam" });
    const { submissions } = await app.store.submissions.list(form.key, 1, null, ["inbox"]);
    await deleteSubmission(app, OPERATOR, submissions[0]!.id);
    await stored(form, plain);
  });
});

describe("a form that limits the types of files", () => {
  const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(5000)]);

  test("takes files of these types and refuses others by name, however the bytes arrive", async () => {
    const form = await newForm({ uploads: true, allowedTypes: ["image/*", ".txt"] });
    const submission = await stored(form, multipart(file("a.png", PNG), file("b.TXT", "text")));
    expect(submission.files.map(({ size }) => size)).toEqual([PNG.length, 4]);
    for (const each of [
      file("a.pdf", "%PDF-1.7"),
      file("noextension", "x"),
      file("b.png", "%PDF-1.7 text"),
    ]) {
      const name = /filename="([^"]+)"/.exec(each[0])![1]!;
      expect(await refused(form, multipart(text("a", "1"), each), 415)).toContain(`"${name}"`);
    }
    const { body, type } = multipart(file("c.txt", `%PDF-1.7 ${"text ".repeat(1000)}`));
    const slowly = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < body.length; at += 7) controller.enqueue(body.subarray(at, at + 7));
        controller.close();
      },
    });
    await refused(form, { body: slowly, type }, 415);
  });

  test("does not name the file on the error page", async () => {
    const form = await newForm({ uploads: true, allowedTypes: [".txt"] });
    const answer = await send(form.key, { ...multipart(file("call-555.pdf", "x")), query: "" });
    const page = await open(answer.headers.get("location")!);
    expect(page.status).toBe(415);
    expect(await page.text()).not.toContain("555");
  });
});

describe("a form with a schema", () => {
  const schema = {
    type: "object",
    properties: {
      email: { type: "string", format: "email" },
      age: { type: "integer", minimum: 18 },
      tags: { type: "array", items: { enum: ["a", "b"] } },
      address: { properties: { city: { type: "string", minLength: 2 } } },
    },
    required: ["email"],
  };

  test("stores what matches as it was sent, texts of a form too", async () => {
    const form = await newForm({ schema });
    const data = { email: "ann@example.com", age: "42", tags: "a" };
    expect(await stored(form, urlencoded(new URLSearchParams(data).toString()))).toMatchObject({ data });
    await refused(form, json(data), 422);
    await stored(form, json({ ...data, age: 42, tags: ["a"] }));
  });

  test("answers 422 with what is wrong with each field", async () => {
    const form = await newForm({ schema });
    const answer = await storingNothing(() =>
      send(form.key, json({ age: 17, tags: ["a", "c"], address: { city: "x" } })),
    );
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({
      error: true,
      code: 422,
      message: expect.stringContaining("does not match"),
      errors: [
        { field: "email", code: "required", message: expect.stringContaining("email") },
        { field: "age", code: "minimum" },
        { field: "tags[1]", code: "enum" },
        { field: "address.city", code: "minLength" },
      ],
    });
  });

  test("shows the first ten on the error page, which shows no others", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `field_${index}_`);
    const form = await newForm({ schema: { required: names } });
    const answer = await send(form.key, { ...plain, query: "" });
    expect(answer.status).toBe(303);
    const link = answer.headers.get("location")!;
    const page = await open(link);
    expect(page.status).toBe(422);
    const html = await page.text();
    for (const [index, name] of names.entries()) expect(html.includes(name)).toBe(index < 10);
    for (const forged of [`${link}&detail=Call+555`, link.replace("field_0_", "call_555_")]) {
      const other = await open(forged);
      expect(other.status).toBe(400);
      expect(await other.text()).not.toContain("555");
    }
  });

  test("has an error page whose address stays short, whatever the names of its fields are", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `${index}${"名".repeat(150)}`);
    const form = await newForm({ schema: { required: names } });
    const link = (await send(form.key, { ...plain, query: "" })).headers.get("location")!;
    expect(link.length).toBeLessThan(12_000);
    expect((await open(link)).status).toBe(422);
  });

  test("that is changed counts for the next submission", async () => {
    const form = await newForm({ schema });
    await refused(form, plain, 422);
    await setForm(app, OPERATOR, form.key, { schema: null });
    await stored(form, plain);
  });
});

describe("an idempotency key", () => {
  const keyed = (key: string, sent: Sent = plain): Sent => ({ ...sent, headers: { "Idempotency-Key": key } });
  const idOf = async (answer: Response) => ((await answer.json()) as { id: string }).id;

  test("makes a repeat get the first answer, which says so", async () => {
    const form = await newForm();
    const first = await send(form.key, keyed("one"));
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    const text = await first.text();
    for (const key of ["one", '"one"']) {
      const again = await storingNothing(() => send(form.key, keyed(key)));
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
      expect(again.headers.get("access-control-expose-headers")).toBe("Idempotent-Replayed");
      expect(await again.text()).toBe(text);
    }
    const redirect = await storingNothing(() => send(form.key, { ...keyed("one"), query: "" }));
    expect([redirect.status, redirect.headers.get("idempotent-replayed")]).toEqual([303, "true"]);
  });

  test("counts for its form for 24 hours, also once the submission is deleted", async () => {
    const form = await newForm();
    const { id } = await stored(form, keyed("k"));
    expect((await stored(await newForm(), keyed("k"))).id).not.toBe(id);
    await deleteSubmission(app, OPERATOR, id);
    app.clock.now += 86_400_000 - 1;
    expect(await idOf(await send(form.key, keyed("k")))).toBe(id);
    app.clock.now += 1;
    expect(await idOf(await send(form.key, keyed("k")))).not.toBe(id);
  });

  test("stores one submission of a hundred at once, files too", async () => {
    const form = await newForm({ uploads: true });
    const sent = multipart(text("a", "1"), file("a.txt", "x"));
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(form.key, keyed("k", sent))));
    expect(new Set(await Promise.all(answers.map(idOf))).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true");
    expect(replayed).toHaveLength(99);
    expect(await app.store.submissions.count(form.key)).toBe(1);
    await storingNothing(() => send(form.key, keyed("k", sent)));
  });

  test("with other content is 422", async () => {
    const form = await newForm({ uploads: true });
    await stored(form, keyed("k", multipart(file("a.txt", "x"))));
    const others = [file("a.txt", "y"), file("b.txt", "x"), file("a.txt", "x", "text/csv")];
    for (const sent of [plain, ...others.map((each) => multipart(each)), json({ a: 1 })])
      expect(await refused(form, keyed("k", sent), 422)).toContain("idempotency key");
  });

  test("of a submission that was refused is free", async () => {
    const form = await newForm({ schema: { required: ["email"] }, spam: "reject" });
    await refused(form, keyed("k"), 422);
    await refused(form, keyed("k", urlencoded("email=a&_gotcha=x")), 403);
    const { id } = await stored(form, keyed("k", urlencoded("email=a")));
    // A repeat is answered before anything else is looked at.
    await setForm(app, OPERATOR, form.key, { schema: { required: ["name"] }, spamWords: ["a"] });
    expect(await idOf(await send(form.key, keyed("k", urlencoded("email=a"))))).toBe(id);
  });

  test("of spam that is kept gets its first answer too", async () => {
    const form = await newForm();
    const { id } = await stored(form, keyed("k", urlencoded("a=1&_gotcha=x")));
    expect(await idOf(await send(form.key, keyed("k", urlencoded("a=1&_gotcha=x"))))).toBe(id);
  });

  test.each(["", '""', "x".repeat(256), '"open', '"a"b"', "ümlaut"])(
    "that is not one is 400: %p",
    async (key) => {
      await refused(await newForm(), keyed(key), 400);
    },
  );

  test("has at most 255 characters, in quotes or not", async () => {
    const form = await newForm();
    const { id } = await stored(form, keyed("x".repeat(255)));
    expect(await idOf(await send(form.key, keyed(`"${"x".repeat(255)}"`)))).toBe(id);
  });

  test("may be sent by any page, says the preflight", async () => {
    const answer = await send((await newForm()).key, {
      method: "OPTIONS",
      headers: { Origin: "https://a.example" },
    });
    expect(answer.headers.get("access-control-allow-headers")).toContain("idempotency-key");
  });
});

describe("the field _idempotency", () => {
  const clicked = (body: string): Sent => urlencoded(`_idempotency=form-42&${body}`);

  test("makes a double click one submission, and a correction a new one", async () => {
    const form = await newForm();
    const first = await stored(form, clicked("a=1"));
    expect(first.data).toEqual({ a: "1" });
    const again = await storingNothing(() => send(form.key, clicked("a=1")));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(((await again.json()) as { id: string }).id).toBe(first.id);
    expect((await stored(form, clicked("a=2"))).id).not.toBe(first.id);
  });

  test("left empty counts for nothing", async () => {
    const form = await newForm();
    const ids = [
      await stored(form, urlencoded("_idempotency=&a=1")),
      await stored(form, urlencoded("_idempotency=&a=1")),
    ];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
  });
});
