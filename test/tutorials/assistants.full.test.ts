import { afterAll, expect, test } from "bun:test";
import { auth } from "@modelcontextprotocol/client";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { errorsIn, startServer } from "../support/executable.ts";
import { answer, connect, createProvider, enter } from "../support/oauth.ts";
import { openChromium } from "../support/pages/chromium.ts";
import { addDevice, describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { openReader } from "../support/tutorials/home.ts";
import { readPage } from "../support/tutorials/network.ts";
import { isShown, stepsOf } from "../support/tutorials/page.ts";
import { typePage } from "../support/tutorials/typist.ts";

const FLAG = ["new-search", "-p", "shop", "-e", "production"];
const HOOKS = "https://example.com";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

type Notice = { type: string; data: Record<string, unknown> };

/** A server of assistants, its people Ann and Ben, and what its targets get. */
async function openShop() {
  const notices: Notice[] = [];
  const hooks = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      notices.push((await request.json()) as Notice);
      return new Response(null, { status: 204 });
    },
  });
  afterAll(() => hooks.stop(true));
  const server = await startServer(["--mcp", "--mcp-registration", "--target-network", "127.0.0.1/32"]);
  const here = onData(server.data);
  await here.json("users", "create", "ben", "--role", "editor");
  await here.json("users", "create", "ann", "--role", "releaser");
  const notice = (type: string, count = 1) =>
    eventually(
      `${count} notices ${type}`,
      () => notices.filter((each) => each.type === type)[count - 1],
      30_000,
    );
  return { server, here, hooks, notice };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** The assistant that Ben has signed in, by the official client. */
async function signInAssistant({ server, here }: Shop) {
  const run = (...words: string[]) => here.json<unknown>(...words);
  const ben = await enter({ ...server, run }, "ben");
  const { kept, provider } = createProvider();
  await connect(server, provider).catch(() => {});
  const allowed = await answer(ben, kept.request!, {
    scope: "flags:write",
    project: "shop",
    answer: "allow",
  });
  const authorizationCode = allowed.searchParams.get("code")!;
  await auth(provider, { serverUrl: `${server.url}/mcp`, iss: server.url, authorizationCode });
  const { client, call } = await connect(server, provider);
  const { tools } = await client.listTools();
  return {
    call,
    tools: tools.map(({ name }) => name),
    /** Makes a proposal in two calls, of which the first changes nothing. Returns the path of its page. */
    async propose(args: Record<string, unknown>) {
      const { value: dry } = await call("flags_set", args);
      expect(dry).toMatchObject({ applied: false, approvals: 1 });
      const { value } = await call("flags_set", { ...args, dryRun: false, plan: dry.plan });
      expect(value).toMatchObject({ applied: false, change: { needed: 1 } });
      return new URL((value["change"] as { url: string }).url).pathname;
    },
  };
}

/** Ann's phone, with a passkey. An address has no passkeys, so its name is localhost. */
async function openPhone(browser: ReturnType<ReturnType<typeof openChromium>>, { server }: Shop) {
  const url = server.url.replace("127.0.0.1", "localhost");
  const { context, page } = await signInBrowser(browser, { ...server, url }, { user: "ann", ...PHONE });
  afterAll(() => context.close());
  await addDevice(page);
  await page.goto(`${url}/dashboard/me`);
  await page.locator("summary", { hasText: "Passkeys" }).click();
  await page.getByLabel("Name of a new passkey").fill("Phone");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("Added the passkey Phone").waitFor();
  return {
    /** Decides on the page of a proposal, which says this. */
    async approve(path: string, ...shown: string[]) {
      await page.goto(url + path);
      for (const text of shown) await page.getByText(text).first().waitFor();
      await page.getByRole("button", { name: "Approve with a passkey" }).tap();
      await page.getByRole("button", { name: "Apply", exact: true }).tap();
      await page.getByRole("button", { name: "Apply", exact: true }).waitFor({ state: "detached" });
    },
  };
}

describeInBrowser("The story of an assistant", () => {
  const browser = openChromium();

  test("is typed by a reader: it proposes, Ann decides, a guard takes the flag back, and its code is cleaned up", async () => {
    const shop = await openShop();
    const { server, here, hooks, notice } = shop;
    const { terminal } = await openReader(server.data, { FORMFLAG_TARGET_NETWORK: "127.0.0.1/32" });
    const page = readPage("guides/assistants.md");
    const impact = /```\n(Tess: [^]*?)```\n/.exec(page)!;
    const lines = impact[1]!.trim().split("\n");
    const steps = stepsOf(page.replace(impact[0], ""));
    const call = steps.find((step) => step.text.includes('"ramp"'))!.text;
    const args = JSON.parse(call) as Record<string, unknown> & { ramp: Record<string, unknown> };
    let assistant!: Awaited<ReturnType<typeof signInAssistant>>;
    let phone!: Awaited<ReturnType<typeof openPhone>>;

    const ramp = () => here.json<{ share: number; status: string; reason: string }>("flags", "ramp", ...FLAG);
    const rolledOut = async (to: unknown) => {
      const context = JSON.stringify({ targetingKey: "user-42" });
      const { value } = await here.json<{ value: unknown }>(
        "flags",
        "evaluate",
        ...FLAG,
        "--context",
        context,
      );
      expect(value).toBe(to);
    };
    /** As many users with the new search as without it, of whom only the first see errors. */
    const fail = async () => {
      const place = ["-p", "shop", "-e", "production"];
      const created = ["tokens", "create", "shop", "--scope", "flags:evaluate", ...place];
      const { token } = await here.json<{ token: string }>(...created);
      const keys = Array.from({ length: 120 }, (_, index) => index);
      const body = {
        events: ["on", "off"].flatMap((variant) =>
          keys.flatMap((key) => {
            const exposed = { exposure: "new-search", variant, targetingKey: `${variant}-${key}` };
            const failed = { event: "error", targetingKey: `${variant}-${key}` };
            return variant === "on" || key < 12 ? [exposed, failed] : [exposed];
          }),
        ),
      };
      const answered = await fetch(`${server.url}/v1/events`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      expect(await answered.json()).toMatchObject({ ignored: 0 });
    };

    const differences = await typePage(steps, {
      terminalsOf: () => [terminal],
      stands: { [HOOKS]: hooks.url.origin },
      isShown: (shown, printed) => shown === "" || isShown(shown, printed),
      after: {
        async "--approve-with"() {
          assistant = await signInAssistant(shop);
          phone = await openPhone(browser(), shop);
          expect(assistant.tools).toContain("flags_set");
          expect(assistant.tools.filter((name) => /approve|apply/.test(name))).toEqual([]);
        },
        async '"ramp"'() {
          const path = await assistant.propose(args);
          const { data } = await notice("change.proposed");
          expect(data).toMatchObject({ change: { who: "ben", via: "Claude", impact: { lines } } });
          await rolledOut(false);
          await phone.approve(path, "ben via Claude", ...lines);
          await notice("change.applied");
        },
        async "flags ramp"() {
          expect(await ramp()).toMatchObject({ status: "running", share: 1 });
          await fail();
          await notice("guard.fired");
          expect(await ramp()).toMatchObject({ status: "aborted", reason: "guard" });
          await rolledOut(false);
          // A day stands as a second, once the code is repaired.
          const path = await assistant.propose({ ...args, ramp: { ...args.ramp, every: 1 } });
          await phone.approve(path);
          const isDone = async () => (await ramp()).status === "completed";
          await eventually("everyone has the new search", isDone, 30_000);
          await rolledOut(true);
          const place = { project: "shop", flag: "new-search" };
          const { value } = await assistant.call("flags_cleanup", place);
          expect(value).toMatchObject({ finished: true });
        },
        async "flags archive"() {
          const [change] = await here.json<{ id: string }[]>("changes", "list", "-p", "shop");
          await phone.approve(`/dashboard/projects/shop/changes/${change!.id}`);
          const flags = await here.json<unknown[]>("flags", "list", "-p", "shop", "-e", "production");
          expect(flags).toEqual([]);
        },
      },
    });
    expect(differences).toEqual([]);
    expect(errorsIn(server.stderr())).toEqual([]);
  }, 120_000);
});
