import { expect, test } from "bun:test";
import { setFlag } from "../../../src/flags/flags.ts";
import { openTestApp } from "../../support/app.ts";
import { ORIGIN, openDashboard } from "../../support/pages/dashboard.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { addProject } from "../../support/records/apply.ts";

const app = openTestApp();
const { ask } = await openDashboard(app).signIn("editor");
const { slug: project } = await addProject(app.store, "shop", "live");
const URLENCODED = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=cut";

/** Sends the details of a flag as bytes; each character is one. */
async function send(flag: string, type: string, text: string) {
  await setFlag(app, OPERATOR, { project, environment: "live", flag }, { enabled: true });
  const answer = await ask(`/projects/${project}/flags/${flag}/details`, {
    method: "POST",
    body: Buffer.from(text, "latin1"),
    headers: { Origin: ORIGIN, "Content-Type": type },
  });
  const found = await app.store.flags.find({ project, environment: "live", flag });
  return { status: answer.status, text: await answer.text(), description: found?.description };
}

const part = (name: string, value: string) =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const partsOf = (value: string) =>
  `${part("description", value)}${part("act", "details")}${part("environment", "live")}--cut--\r\n`;

test.each([
  ["urlencoded", URLENCODED, "description=Zo%EB&act=details&environment=live"],
  ["urlencoded, raw", URLENCODED, "description=Zo\xEB&act=details&environment=live"],
  ["urlencoded, after a character", URLENCODED, "description=%EF%BF%BD+%eb&act=details&environment=live"],
  ["urlencoded, in a name", URLENCODED, "%EB=1&description=a&act=details&environment=live"],
  ["multipart", MULTIPART, partsOf("Zo\xEB")],
])("a form that is not UTF-8 is refused and named, and nothing is stored: %s", async (_, type, body) => {
  const answer = await send("refused", type, body);
  expect(answer).toMatchObject({ status: 400, text: expect.stringContaining("not UTF-8") });
  expect(answer.description).toBe("");
});

test.each([
  ["urlencoded", URLENCODED, "description=Zo%C3%AB+%EF%BF%BD+100%&act=details&environment=live"],
  ["urlencoded, raw", URLENCODED, "description=Zo\xC3\xAB+\xEF\xBF\xBD+100%25&act=details&environment=live"],
  ["multipart", MULTIPART, partsOf("Zo\xC3\xAB \xEF\xBF\xBD 100%")],
  [
    "multipart, beside a file of any bytes",
    MULTIPART,
    `--cut\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n\xEB\xFF\r\n${partsOf("Zo\xC3\xAB \xEF\xBF\xBD 100%")}`,
  ],
])("a form in UTF-8 is stored as it is, also with U+FFFD itself: %s", async (name, type, body) => {
  const flag = name.replaceAll(/\W+/g, "-");
  expect(await send(flag, type, body)).toMatchObject({ status: 303, description: "Zoë \uFFFD 100%" });
});
