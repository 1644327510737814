import { expect, test } from "bun:test";
import { json, openInbox } from "../../support/inbox.ts";

const { app, newForm, send } = openInbox();

test("a list of 200,000 texts in place of an assignment is not read through", async () => {
  const form = await newForm();
  const read = app.assignments.read.bind(app.assignments);
  const counts: number[] = [];
  app.assignments = {
    read(texts) {
      counts.push(texts.length);
      return read(texts);
    },
  };
  const header = { "X-Formflag-Assignment": "not one either" };
  const texts = Array.from({ length: 200_000 }, () => "x");
  const sent = json({ name: "Ann", _formflag: texts });
  const answer = await send(form.key, { ...sent, headers: { ...sent.headers, ...header } });
  expect(answer.status).toBe(200);
  expect(counts).toHaveLength(1);
  expect(counts[0]).toBeLessThanOrEqual(11);
});
