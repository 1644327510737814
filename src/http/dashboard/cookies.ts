import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { FACTOR_LIMITS } from "../../access/limits.ts";
import type { DashboardContext } from "./dashboard-env.ts";

/** Seconds for which a browser keeps a session: the server ends it earlier if it is not used. */
const SESSION_AGE = 90 * 86_400;
/** Seconds for which the message of the last action waits for the next page. */
const FLASH_AGE = 60;
/** Seconds that a person has at an OpenID provider. */
const AT_PROVIDER_AGE = 600;

/** Message of an action on the next page, with its undo. */
export type Flash = {
  text: string;
  undo?: { to: string; values: Readonly<Record<string, string>> } | undefined;
};

/** The most bytes of a message in a cookie: browsers drop cookies of more than 4,096. */
const MAX_FLASH = 3800;
/** Characters that are left of a text that is cut. */
const SHORT_TEXT = 300;

/** A value that the browser keeps for the server for some minutes. */
type Pocket = {
  read: (c: DashboardContext) => string | undefined;
  /** Null removes it. */
  set: (c: DashboardContext, value: string | null) => void;
};

export type Cookies = {
  session: (c: DashboardContext) => string | undefined;
  setSession: (c: DashboardContext, secret: string) => void;
  endSession: (c: DashboardContext) => void;
  /** Keeps a message for the next page of the session with that secret. */
  setFlash: (c: DashboardContext, secret: string, flash: Flash) => void;
  /** Returns the message of the last action in that session, once; null for one that this dashboard did not sign. */
  takeFlash: (c: DashboardContext, secret: string) => Flash | null;
  /** The secret of a sign-in that waits for a code. */
  begun: Pocket;
  /** A sign-in at an OpenID provider that has begun. */
  atProvider: Pocket;
  /** The key of an authenticator app that is being set up, signed for its session. */
  totp: Pocket;
  /** The ticket of a challenge for a passkey. */
  challenge: Pocket;
  timeZone: (c: DashboardContext) => string | undefined;
};

/**
 * The cookies of a dashboard. Their names carry the instance: browsers send a cookie to every port of a host, and two
 * servers on one would end each other's sessions.
 */
export function createCookies(instance: string, root: string, dashboardUrl: string | null): Cookies {
  const name = `formflag_${instance}`;
  const [session, flash] = [`${name}_session`, `${name}_flash`];
  // The URL has the host that a request names, which may be none that is valid.
  const isHttps = (c: DashboardContext) =>
    c.req.url.startsWith("https:") || dashboardUrl?.startsWith("https:") === true;
  /** A form may come through a proxy that speaks TLS. */
  const isSecure = (c: DashboardContext) =>
    isHttps(c) || c.req.header("origin")?.startsWith("https:") === true;
  const own = { httpOnly: true, sameSite: "Lax" } as const;

  // Under HTTPS only the name with the prefix counts, which no other host and no plain connection can set.
  const read = (c: DashboardContext, name: string) =>
    getCookie(c, name, "host") ?? (isHttps(c) ? undefined : getCookie(c, name));
  const write = (c: DashboardContext, name: string, value: string, maxAge: number) => {
    if (isSecure(c)) setCookie(c, name, value, { ...own, maxAge, prefix: "host" });
    else setCookie(c, name, value, { ...own, maxAge, path: root });
  };
  const remove = (c: DashboardContext, name: string) => {
    deleteCookie(c, name, { prefix: "host", path: "/", secure: true });
    deleteCookie(c, name, { path: root });
  };

  const pocket = (of: string, maxAge: number): Pocket => ({
    read: (c) => read(c, `${name}_${of}`),
    set: (c, value) =>
      value === null ? remove(c, `${name}_${of}`) : write(c, `${name}_${of}`, value, maxAge),
  });

  return {
    session: (c) => read(c, session),
    setSession: (c, secret) => write(c, session, secret, SESSION_AGE),
    endSession: (c) => remove(c, session),
    setFlash(c, secret, value) {
      write(c, flash, seal("flash", secret, encoded(value)), FLASH_AGE);
    },
    takeFlash(c, secret) {
      const value = read(c, flash);
      if (value === undefined) return null;
      remove(c, flash);
      const text = unseal("flash", secret, value);
      return text === null ? null : (JSON.parse(Buffer.from(text, "base64url").toString()) as Flash);
    },
    begun: pocket("begun", FACTOR_LIMITS.codeMinutes * 60),
    atProvider: pocket("oidc", AT_PROVIDER_AGE),
    totp: pocket("totp", FACTOR_LIMITS.freshMinutes * 60),
    challenge: pocket("challenge", FACTOR_LIMITS.challengeMinutes * 60),
    timeZone: (c) => getCookie(c, "formflag_zone"),
  };
}

/** A message as a cookie holds it: if it is too large, its text is cut, and then its undo is left out. */
function encoded({ text, undo }: Flash): string {
  const short = text.length > SHORT_TEXT ? `${text.slice(0, SHORT_TEXT).toWellFormed()}…` : text;
  const forms = [{ text, undo }, { text: short, undo }, { text: short }];
  const values = forms.map((each) => Buffer.from(JSON.stringify(each)).toString("base64url"));
  return values.find((value) => value.length <= MAX_FLASH) ?? values.at(-1)!;
}

/** A text, without points, that is signed with the secret of a session, so that a planted one is not used. */
export function seal(purpose: string, secret: string, text: string): string {
  return `${text}.${new Bun.CryptoHasher("sha256", secret).update(`${purpose} ${text}`).digest("base64url")}`;
}

/** The text of a value that {@link seal} made; null for any other. */
export function unseal(purpose: string, secret: string, value: string): string | null {
  const [text = ""] = value.split(".");
  const [one, other] = [Buffer.from(value), Buffer.from(seal(purpose, secret, text))];
  return one.length === other.length && crypto.timingSafeEqual(one, other) ? text : null;
}
