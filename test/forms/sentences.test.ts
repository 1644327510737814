import { expect, test } from "bun:test";
import { MiB } from "../../src/base/bytes.ts";
import { type Form, type FormPatch, applyFormPatch, viewForm } from "../../src/forms/form.ts";
import { SENTENCES } from "../../src/forms/settings/sentences.ts";
import { DAY, GROUPS, type Group } from "../../src/forms/settings/setting.ts";
import { SETTINGS, inOrder } from "../../src/forms/settings/settings.ts";
import { NOW, formRecord } from "../support/records/records.ts";

const moment = { now: NOW, dateOf: (at: number) => new Date(at).toISOString().slice(0, 10) };

const formWith = (patch: FormPatch): Form =>
  viewForm(applyFormPatch(formRecord("contact"), patch, NOW).record);

const said = (group: Group, patch: FormPatch = {}) => SENTENCES[group](formWith(patch), moment);

const [BEFORE, AFTER, LATER] = [-DAY, DAY, 3 * DAY].map((seconds) =>
  new Date(NOW + seconds * 1000).toISOString(),
);

test("What a form accepts is its times, files, sites and limits", () => {
  const cases: [FormPatch, string][] = [
    [{}, "no files, from any site"],
    [{ uploads: true }, "5 files to 1 MB, from any site"],
    [
      { uploads: true, maxFiles: 1, maxFileSize: 10 * MiB, allowedTypes: [".pdf"] },
      "a file to 10 MB (.pdf), from any site",
    ],
    [
      { allowedOrigins: ["https://larch.example", "http://localhost:3000"] },
      "no files, from larch.example and http://localhost:3000",
    ],
    [
      {
        allowedOrigins: ["https://a.example", "https://b.example", "https://c.example", "https://d.example"],
      },
      "no files, from a.example, b.example and 2 more",
    ],
    [
      { rateLimit: { count: 20, seconds: 3600 } },
      "no files, from any site, at most 20 an hour from one sender",
    ],
    [
      { rateLimit: { count: 5, seconds: 600 }, blockedSenders: ["203.0.113.0/24"], maxSubmissions: 1000 },
      "no files, from any site, at most 5 in 10 minutes from one sender, 1 sender blocked, until it holds 1,000",
    ],
    [{ enabled: false }, "nothing while it is closed, no files, from any site"],
    [{ enabled: false, opensAt: AFTER }, "nothing while it is closed, no files, from any site"],
    [{ closesAt: BEFORE }, "nothing since 2026-01-01, no files, from any site"],
    [{ opensAt: AFTER }, "from 2026-01-03, no files, from any site"],
    [{ opensAt: AFTER, closesAt: LATER }, "from 2026-01-03 until 2026-01-05, no files, from any site"],
    [{ opensAt: BEFORE, closesAt: LATER }, "until 2026-01-05, no files, from any site"],
    [
      { openWhen: "shop/production/open", closesAt: LATER },
      "until 2026-01-05, while the flag shop/production/open is true, no files, from any site",
    ],
  ];
  expect(cases.map(([patch]) => said("accepts", patch))).toEqual(cases.map(([, text]) => text));
});

test("What a form checks is each check that is on, and whether spam is refused", () => {
  const cases: [FormPatch, string][] = [
    [{}, "honeypot"],
    [{ honeypots: ["website"] }, "2 honeypots"],
    [{ spamWords: ["casino"], spamLinks: 3 }, "honeypot, 1 word, at most 3 links"],
    [{ spamLinks: 1 }, "honeypot, at most 1 link"],
    [{ spamLinks: 0, spamEmails: ["*@a.example", "*@b.example"] }, "honeypot, 2 addresses, no links"],
    [{ checks: ["https://a.example/x"] }, "honeypot, sends each submission to a.example"],
    [
      { checks: ["https://a.example/x", "https://a.example/y"], checkFailing: "spam" },
      "honeypot, sends each submission to a.example, which is spam if that fails",
    ],
    [
      { checks: ["https://a.example/", "https://b.example/"], checkFailing: "refuse" },
      "honeypot, sends each submission to a.example and b.example, which is refused if that fails",
    ],
    [
      { challenge: true, spamDisposable: true, duplicates: 60, spam: "reject" },
      "challenge, honeypot, no disposable mail, no repeats within 1 minute; spam is refused",
    ],
  ];
  expect(cases.map(([patch]) => said("screens", patch))).toEqual(cases.map(([, text]) => text));
});

test("What a form keeps has two periods, and what it records about the sender", () => {
  const cases: [FormPatch, string][] = [
    [{}, "forever, spam for 30 days; nothing about the sender"],
    [{ retention: 730 * DAY }, "2 years, spam for 30 days; nothing about the sender"],
    [{ retention: 30 * DAY }, "30 days, spam too; nothing about the sender"],
    [{ retention: 90 * DAY, spamRetention: null }, "90 days, spam forever; nothing about the sender"],
    [{ spam: "reject", metadata: "truncated" }, "forever; network and browser of the sender"],
    [
      { retention: 365 * DAY, metadata: "full", titleField: "subject" },
      "1 year, spam for 30 days; IP address and browser of the sender; titled by the field subject",
    ],
  ];
  expect(cases.map(([patch]) => said("keeps", patch))).toEqual(cases.map(([, text]) => text));
});

test("What a form shows is a page, its language, and where errors lead", () => {
  const cases: [FormPatch, string][] = [
    [{}, "the built-in page, in English"],
    [{ language: "auto" }, "the built-in page, in the sender’s language"],
    [{ successMessage: "See\n you", language: "ja" }, "“See you”, in Japanese"],
    [{ successMessage: "x".repeat(50) }, `“${"x".repeat(40)}…”, in English`],
    [{ successUrl: "https://larch.example/thanks/" }, "the page larch.example/thanks, in English"],
    [
      { successUrl: "https://larch.example/thanks", errorUrl: "https://larch.example/oops" },
      "the page larch.example/thanks, after an error larch.example/oops",
    ],
    [
      { errorUrl: "https://larch.example/oops", page: true },
      "the built-in page, in English, after an error larch.example/oops, and has a page of its own",
    ],
  ];
  expect(cases.map(([patch]) => said("shows", patch))).toEqual(cases.map(([, text]) => text));
});

test("What a form answers is its automatic reply, and templates for people", () => {
  const cases: [FormPatch, string][] = [
    [{}, "nothing by itself"],
    [{ autoreply: true }, "a thank-you by mail"],
    [{ autoreplyText: "Hello", emailField: "mail" }, "nothing by itself"],
    [
      { autoreply: true, autoreplySubject: "Thanks, {{name}}", autoreplyText: "Hi", emailField: "mail" },
      "“Thanks, {{name}}” by mail, with your text, to the field mail",
    ],
    [{ optIn: "email" }, "asks the address in the field email to confirm within 7 days"],
    [{ replyTemplates: "# Yes\nWe can.\n# No\nSorry." }, "nothing by itself, 2 templates for replies"],
  ];
  expect(cases.map(([patch]) => said("answers", patch))).toEqual(cases.map(([, text]) => text));
});

test("Whom a form tells by mail is one address, or how many", () => {
  expect(said("tells")).toBe("");
  expect(said("tells", { notify: ["shop@example.com"] })).toBe("shop@example.com by mail");
  expect(said("tells", { notify: ["a@example.com", "b@example.com"] })).toBe("2 by mail");
});

test("Every setting with a field is in a group of the page", () => {
  const groups = inOrder("field").map((name) => SETTINGS[name].field![0]);
  expect([...new Set(groups)].toSorted()).toEqual([...GROUPS].toSorted());
});
