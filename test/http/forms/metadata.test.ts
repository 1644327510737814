import { expect, test } from "bun:test";
import { openInbox, plain } from "../../support/inbox.ts";

const { newForm, stored, storedText } = openInbox();

const headers = {
  "User-Agent": "Mozilla/5.0 (X11)",
  Referer: "https://ann:secret@shop.example/contact?token=1#form",
  "Accept-Language": "de-CH, de;q=0.9, en;q=0.8",
};

test("a form records nothing about its senders unless it is set to", async () => {
  expect((await stored(await newForm(), { ...plain, headers })).meta).toBeNull();
  expect((await stored(await newForm({ metadata: "none" }), { ...plain, headers })).meta).toBeNull();
});

test.each([
  ["full", "203.0.113.7", "203.0.113.7"],
  ["full", "::ffff:203.0.113.7", "203.0.113.7"],
  ["full", "2001:db8:1:2::3", "2001:db8:1:2::3"],
  ["truncated", "203.0.113.7", "203.0.113.0"],
  ["truncated", "2001:db8:1:2::3", "2001:db8:1::"],
] as const)("a form with %s metadata records %s as %s", async (metadata, client, address) => {
  const submission = await stored(await newForm({ metadata }), { ...plain, headers, client });
  expect(submission.meta).toEqual({
    address,
    userAgent: "Mozilla/5.0 (X11)",
    referrer: "https://shop.example/contact",
    language: "de-CH",
  });
  expect(storedText(submission)).not.toContain("Mozilla");
});

test("what a sender leaves out or makes up is null, and what is long is cut", async () => {
  const form = await newForm({ metadata: "full" });
  const meta = async (given: Record<string, string>) =>
    (await stored(form, { ...plain, headers: given })).meta;
  const nothing = { address: "203.0.113.7", userAgent: null, referrer: null, language: null };
  expect(await meta({})).toEqual(nothing);
  expect(await meta({ Referer: "javascript:alert(1)", "Accept-Language": "*" })).toEqual(nothing);
  const long = await meta({
    "User-Agent": "x".repeat(600),
    Referer: `https://shop.example/${"y".repeat(3000)}`,
    "Accept-Language": "z".repeat(200),
  });
  expect(Object.values(long!).map((text) => text!.length)).toEqual([11, 500, 2000, 100]);
});

test("spam is recorded like any other submission", async () => {
  const form = await newForm({ metadata: "truncated", spamLinks: 0 });
  const submission = await stored(form, {
    body: "a=http://x.example",
    type: "application/x-www-form-urlencoded",
    headers,
  });
  expect(submission).toMatchObject({ state: "spam", meta: { address: "203.0.113.0" } });
});
