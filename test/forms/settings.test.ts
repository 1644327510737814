import { describe, expect, test } from "bun:test";
import { setFlag } from "../../src/flags/flags.ts";
import { checkForm } from "../../src/forms/form-check.ts";
import { getForm, createForm, setForm } from "../../src/forms/forms.ts";
import {
  DEFAULT_SETTINGS,
  type FormSettings,
  givenSettings,
  storedSettings,
} from "../../src/forms/settings/settings.ts";
import { patchedSettings } from "../../src/forms/settings/settings-schema.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { addForm } from "../support/records/apply.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { formRecord } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";

const OTHERS: FormSettings = {
  allowedTypes: [".pdf"],
  opensAt: "2027-01-01T00:00:00.000Z",
  closesAt: "2027-02-01T00:00:00.000Z",
  openWhen: "shop/develop/contact-open",
  maxSubmissions: 500,
  spam: "reject",
  honeypots: ["website"],
  spamWords: ["viagra"],
  spamEmails: ["*@spam.example"],
  spamLinks: 0,
  spamDisposable: true,
  duplicates: 60,
  challenge: true,
  checks: ["https://check.example.com/forms"],
  checkFailing: "spam",
  schema: { required: ["email"], properties: { email: {} } },
  notify: ["shop@example.com"],
  notifySubject: "From {{name}}",
  emailField: "sender",
  attach: 0,
  timeZone: "Europe/Berlin",
  autoreply: true,
  autoreplySubject: "Thanks, {{name}}",
  autoreplyText: "We received it.",
  optIn: "email",
  optInWithin: 3600,
  optInSubject: "Please confirm",
  optInText: "Dear {{name}}: {{link}}",
  replyTemplates: "# Thanks\nDear {{name}},\n",
  retention: 86_400,
  spamRetention: 3600,
  metadata: "full",
  titleField: "order",
  successMessage: "See you soon.",
  language: "auto",
  page: true,
};
const NAMES = Object.keys(OTHERS) as (keyof FormSettings)[];

describe("the settings of a form", () => {
  test("that were never set are off or harmless", async () => {
    const app = openTestApp();
    expect(await createForm(app, OPERATOR, { slug: "contact" })).toMatchObject(DEFAULT_SETTINGS);
  });

  test.each(NAMES)("include %s, which is set, unchanged by the same, and removed by null", async (name) => {
    const app = openTestApp();
    if (name === "openWhen") {
      await createProject(app, OPERATOR, { slug: "shop" });
      await setFlag(app, OPERATOR, { project: "shop", environment: "develop", flag: "contact-open" }, {});
    }
    // A page needs a schema.
    const needed = name === "page" ? { schema: OTHERS.schema } : {};
    const form = await createForm(app, OPERATOR, { slug: "contact", ...needed });
    const set = (value: unknown) => setForm(app, OPERATOR, "contact", { [name]: value });
    const changed = { ...form, [name]: OTHERS[name] };
    expect(await set(OTHERS[name])).toEqual({ form: changed, result: "updated" });
    expect(await set(OTHERS[name])).toEqual({ form: changed, result: "unchanged" });
    expect(await set(undefined)).toEqual({ form: changed, result: "unchanged" });
    expect(await getForm(app, OPERATOR, "contact")).toEqual(changed);
    const reset = name === "spamRetention" ? { ...form, spamRetention: null } : form;
    expect(await set(null)).toEqual({ form: reset, result: "updated" });
  });

  test("are stored only where they differ from the default", () => {
    expect(storedSettings(DEFAULT_SETTINGS)).toEqual({});
    expect(storedSettings(OTHERS)).toEqual(OTHERS);
    expect(storedSettings({ ...DEFAULT_SETTINGS, spamLinks: 0 })).toEqual({ spamLinks: 0 });
  });

  test("hold times in UTC, and nothing that a patch leaves out", () => {
    expect(givenSettings({ opensAt: "2027-01-01T02:00:00+02:00", closesAt: null })).toEqual({
      opensAt: "2027-01-01T00:00:00.000Z",
      closesAt: null,
    });
    expect(givenSettings({ spamWords: undefined })).toEqual({});
  });
});

test("an address to notify is stored in one spelling, whatever was typed", async () => {
  const { notify } = patchedSettings;
  expect(notify.parse(["ann@Bücher.example", " Ben@EXAMPLE.com "])).toEqual([
    "ann@xn--bcher-kva.example",
    "Ben@example.com",
  ]);
  for (const text of ["jörg@example.com", "Ann <ann@example.com>", "a@x.example, b@x.example"])
    expect([text, notify.safeParse([text]).success]).toEqual([text, false]);
});

describe("a form is refused", () => {
  test("where it closes before it opens, or at the same moment, also by the time set before", async () => {
    const app = openTestApp();
    const form = await createForm(app, OPERATOR, { slug: "contact", opensAt: "2027-01-01T00:00:00Z" });
    for (const closesAt of ["2026-12-31T00:00:00Z", "2027-01-01T01:00:00+01:00"]) {
      const attempt = setForm(app, OPERATOR, "contact", { closesAt });
      expect(await attempt.catch(String)).toStartWith("AppError: closesAt: the form would close at 202");
    }
    expect(await getForm(app, OPERATOR, "contact")).toEqual(form);
    const times = { opensAt: null, closesAt: "2026-12-31T00:00:00Z" };
    expect((await setForm(app, OPERATOR, "contact", times)).result).toBe("updated");
  });

  test("with a schema that cannot be used, by name and place", async () => {
    const app = openTestApp();
    const schema = { properties: { a: { $ref: "https://example.com/a.json" } } };
    await createForm(app, OPERATOR, { slug: "contact" });
    for (const attempt of [
      async () => createForm(app, OPERATOR, { slug: "other", schema }),
      async () => setForm(app, OPERATOR, "contact", { schema }),
    ])
      expect(await attempt().catch(String)).toStartWith(
        "AppError: schema: the schema is invalid at #/properties/a/$ref: ",
      );
    expect((await app.store.forms.list()).map(({ slug, schema }) => [slug, schema])).toEqual([
      ["contact", null],
    ]);
  });

  test("but not for a schema that it had before", async () => {
    const app = openTestApp();
    const schema = { type: "of another version" };
    const form = await addForm(app.store, "contact", { schema });
    expect((await setForm(app, OPERATOR, "contact", { name: "New" })).form.schema).toEqual(schema);
    expect(await codeOf(checkForm(form))).toBe("invalid");
    await checkForm(formRecord("contact", { schema }), form);
  });
});
