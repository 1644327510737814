import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { DashboardContext } from "./dashboard-env.ts";

/** Seconds for which a browser keeps a session: the server ends it earlier where it is not used. */
const SESSION_AGE = 90 * 86_400;
/** Seconds for which the message of the last action waits for the next page. */
const FLASH_AGE = 60;

/** What an action says on the page after it, and how it is undone. */
export type Flash = {
  text: string;
  undo?: { to: string; values: Readonly<Record<string, string>> } | undefined;
};

export type Cookies = {
  session: (c: DashboardContext) => string | undefined;
  setSession: (c: DashboardContext, secret: string) => void;
  endSession: (c: DashboardContext) => void;
  setFlash: (c: DashboardContext, flash: Flash) => void;
  /** Returns the message of the last action, once. */
  takeFlash: (c: DashboardContext) => Flash | null;
  timeZone: (c: DashboardContext) => string | undefined;
};

/**
 * The cookies of a dashboard. Their names carry the instance: browsers send a cookie to every port of a host, and two
 * servers on one would end each other's sessions.
 */
export function createCookies(instance: string, root: string, dashboardUrl: string | null): Cookies {
  const name = `formflag_${instance}`;
  const [session, flash] = [`${name}_session`, `${name}_flash`];
  const isHttps = (c: DashboardContext) =>
    new URL(c.req.url).protocol === "https:" || dashboardUrl?.startsWith("https:") === true;
  /** A form may come through a proxy that speaks TLS. */
  const isSecure = (c: DashboardContext) =>
    isHttps(c) || c.req.header("origin")?.startsWith("https:") === true;
  const own = { httpOnly: true, sameSite: "Lax" } as const;

  return {
    // Under HTTPS only the name with the prefix counts, which no other host and no plain connection can set.
    session: (c) => getCookie(c, session, "host") ?? (isHttps(c) ? undefined : getCookie(c, session)),
    setSession(c, secret) {
      if (isSecure(c)) setCookie(c, session, secret, { ...own, maxAge: SESSION_AGE, prefix: "host" });
      else setCookie(c, session, secret, { ...own, maxAge: SESSION_AGE, path: root });
    },
    endSession(c) {
      deleteCookie(c, session, { prefix: "host", path: "/", secure: true });
      deleteCookie(c, session, { path: root });
    },
    setFlash(c, value) {
      const text = Buffer.from(JSON.stringify(value)).toString("base64url");
      setCookie(c, flash, text, { ...own, maxAge: FLASH_AGE, path: root, secure: isSecure(c) });
    },
    takeFlash(c) {
      const text = getCookie(c, flash);
      if (text === undefined) return null;
      deleteCookie(c, flash, { path: root });
      return parseFlash(text);
    },
    timeZone: (c) => getCookie(c, "formflag_zone"),
  };
}

function parseFlash(text: string): Flash | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (typeof value !== "object" || value === null || !("text" in value) || typeof value.text !== "string")
      return null;
    return value as Flash;
  } catch (error) {
    // Somebody else wrote the cookie.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
