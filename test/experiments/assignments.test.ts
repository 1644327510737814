import { expect, test } from "bun:test";
import { createAssignmentSource } from "../../src/experiments/assignment.ts";
import { openTestApp } from "../support/app.ts";

test("all processes on a database sign assignments with one secret", async () => {
  const app = openTestApp();
  const [one, another] = await Promise.all([createAssignmentSource(app)(), createAssignmentSource(app)()]);
  const assignment = {
    environmentKey: "abcd-efgh-ijkl",
    pseudonym: null,
    variants: [["hero", "b"]] as const,
  };
  expect(another.read(one.sign(assignment, app.now()), app.now())).toMatchObject(assignment);
  const elsewhere = await createAssignmentSource(openTestApp())();
  expect(elsewhere.read(one.sign(assignment, app.now()), app.now())).toBeNull();
});
