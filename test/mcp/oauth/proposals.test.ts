import { expect, test } from "bun:test";
import {
  type Browser,
  callTool,
  openClient,
  signIn,
  startAssistants,
  tokensOf,
} from "../../support/oauth.ts";

const server = await startAssistants();
await server.run("environments", "set", "production", "-p", "shop", "--approvals", "1");
const ann = await signIn(server, "ann", "releaser");
const bob = await signIn(server, "bob", "releaser");

type Change = { id: string; etag: string; url: string; who: string; via: string; needed: number };

/** A change of a flag that the assistant of a person proposes, which person has allowed it to change flags. */
async function proposeAs(person: Browser, environment: string): Promise<Change> {
  const given = { scope: "flags:write", project: "shop", answer: "allow" };
  const { access } = await tokensOf(await openClient(server), person, given);
  const patch = { description: `by way of ${environment}` };
  const asked = { project: "shop", environment, flag: "sale", patch, why: "a test", propose: true };
  const { value: planned } = await callTool(server, access, "flags_set", asked);
  const { value } = await callTool(server, access, "flags_set", {
    ...asked,
    dryRun: false,
    plan: planned!["plan"],
  });
  return value!["change"] as Change;
}

const approve = ({ url, etag }: Change, person: Browser) =>
  person.send(`${new URL(url).pathname}/approve`, { etag });

test("what an assistant proposes where approvals are required is its person's, and another person's to approve", async () => {
  const change = await proposeAs(ann, "production");
  expect(change).toMatchObject({ who: "ann", via: "Claude", needed: 1 });
  expect(server.stderr()).toContain("mcp: flags_set by ann via Claude");
  expect(change.url).toStartWith(`${server.url}/dashboard/projects/shop/changes/`);
  const page = await (await ann.ask(change.url)).text();
  expect(page).toContain("ann via Claude");
  expect(page).not.toContain("/approve");
  expect((await approve(change, ann)).status).toBe(403);
  expect(await (await bob.ask(change.url)).text()).toContain("/approve");
  expect((await approve(change, bob)).status).toBe(303);
  expect(await server.run("changes", "get", change.id, "-p", "shop")).toMatchObject({
    status: "approved",
  });
});

test("where none are required, the person who signed it in approves what it proposes", async () => {
  const change = await proposeAs(ann, "develop");
  expect(await (await ann.ask(change.url)).text()).toContain("/approve");
  expect((await approve(change, ann)).status).toBe(303);
  const { access } = await tokensOf(await openClient(server), ann, {
    scope: "flags:locked",
    project: "shop",
    answer: "allow",
  });
  const { value } = await callTool(server, access, "changes_get", { project: "shop", change: change.id });
  expect(value).toMatchObject({ change: { status: "approved", reviews: [{ who: "ann" }] } });
});
