import { afterEach, expect } from "bun:test";
import type { UserRole } from "../../../src/access/role.ts";
import { createLink, createUser } from "../../../src/access/users.ts";
import type { Report } from "../../../src/http/errors.ts";
import type { DashboardOptions } from "../../../src/http/dashboard/dashboard-env.ts";
import { createDashboard } from "../../../src/http/dashboard/dashboard.tsx";
import { DEFAULT_MAX_CONCURRENT } from "../../../src/http/limits.ts";
import { createGuard } from "../../../src/http/rate-limit.ts";
import { type ClockedApp, clientAt } from "../app.ts";
import { OPERATOR } from "../records/caller.ts";
import { fakeOutgoing } from "../peers/outgoing.ts";

export const ORIGIN = "http://dashboard.test";
const ADDRESS = "198.51.100.7";

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A page as a browser without JavaScript gets it. */
export type Shown = { status: number; text: string; headers: Headers; path: string };

/** The dashboard of an app. No request may be a bug of it. */
export function openDashboard(
  app: ClockedApp,
  options: Partial<DashboardOptions> = {},
  origin: string = ORIGIN,
  warn: (text: string) => void = () => {},
) {
  const reported: unknown[] = [];
  afterEach(() => expect(reported.splice(0)).toEqual([]));
  const report: Report = {
    error: (error) => void reported.push(error),
    refused: () => {},
    spam: () => {},
    warn,
  };
  const created = createDashboard(app, {
    version: "test",
    report,
    basePath: "",
    publicUrl: null,
    dashboardUrl: null,
    guard: createGuard(app.now, { concurrent: DEFAULT_MAX_CONCURRENT, rate: null }),
    outgoing: async () => fakeOutgoing(),
    onStop: () => {},
    passwords: true,
    oidc: null,
    proxy: null,
    assistants: null,
    secondFactor: null,
    commit: "test",
    commitMinutes: () => [],
    findings: async () => [],
    ...options,
  });

  /** A browser at an address that keeps cookies, with nobody signed in unless it is given those of another. */
  function openBrowser({ cookies = new Map<string, string>(), address = ADDRESS } = {}) {
    const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(init.headers);
      if (!headers.has("Host")) headers.set("Host", new URL(origin).host);
      headers.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
      const request = new Request(`${origin}/dashboard${path}`, { ...init, headers, redirect: "manual" });
      const answer = await (await created).fetch(request, { client: clientAt(address), peer: () => address });
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (/max-age=0/i.test(line)) cookies.delete(name!);
        else cookies.set(name!, value!);
      }
      return answer;
    };
    const follow = async (path: string, answer: Response): Promise<Shown> => {
      const to = answer.headers.get("location");
      if (answer.status === 303 && to !== null) return get(to.replace(/^\/dashboard/, ""));
      return { status: answer.status, text: await answer.text(), headers: answer.headers, path };
    };
    /** The page at a path behind that of the dashboard, after redirects. */
    const get = async (path: string): Promise<Shown> => follow(path, await ask(path));
    /** Sends a form, and returns the page that follows. */
    const post = async (path: string, fields: Fields): Promise<Shown> => {
      const pairs = Object.entries(fields).flatMap(([name, value]) =>
        (typeof value === "string" ? [value] : value).map((each): [string, string] => [name, each]),
      );
      const body = new URLSearchParams(pairs);
      return follow(path, await ask(path, { method: "POST", body, headers: { Origin: origin } }));
    };
    return { ask, get, post, cookies };
  }

  /** A browser in which a new user of a role is signed in. */
  async function signIn(role: UserRole, name = role as string) {
    const browser = openBrowser();
    if (!(await app.store.users.find(name))) {
      // The first user is an admin.
      if (!(await app.store.users.find("admin")))
        await createUser(app, OPERATOR, { name: "admin", role: "admin" });
      if (name !== "admin") await createUser(app, OPERATOR, { name, role });
    }
    const { secret } = await createLink(app, OPERATOR, name);
    await browser.ask(`/link/${secret}`, {
      method: "POST",
      body: new URLSearchParams(),
      headers: { Origin: origin },
    });
    return browser;
  }

  return { created, openBrowser, signIn };
}

/** The value of a hidden field of a page. */
export function hiddenIn({ text }: Shown, name: string): string {
  return new RegExp(`<input type="hidden" name="${name}" value="([^"]*)"`).exec(text)![1]!;
}
