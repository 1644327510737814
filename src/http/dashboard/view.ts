import type { Markup } from "./markup.ts";
import type { Caller } from "../../access/caller.ts";
import type { Reach } from "../../access/place.ts";
import type { Scope } from "../../access/scope.ts";
import type { DashboardContext } from "./dashboard-env.ts";
import { hasScope, hasScopeSomewhere } from "../../access/rights.ts";

/** Context of a page: its user, time and the dashboard's address. */
export type View = {
  /** The path of the dashboard, such as `/formflag/dashboard`. */
  root: string;
  /** The path of this page behind `root`, without its query. */
  path: string;
  /** Milliseconds since 1970. */
  now: number;
  /** The fingerprint for its stream of events; missing on pages that were not asked for by their address. */
  since?: string | undefined;
  /** IANA name of the time zone in which times are shown. */
  timeZone: string;
  /** Whether single keys do something, which their user may have turned off. */
  shortcuts: boolean;
  /** Null before sign-in. */
  caller: Caller | null;
  /** The project and the environment in the path. */
  reach: Reach;
  /** The project in the path, or null. */
  project: Readonly<{ slug: string; name: string }> | null;
  /** Numbers beside the sections: unread submissions, what needs a person, failed deliveries; left out where none is known. */
  counts: Readonly<Partial<Record<"inbox" | "today" | "deliveries", number>>>;
};

const NOWHERE: View = {
  root: "",
  path: "",
  now: 0,
  timeZone: "UTC",
  caller: null,
  reach: {},
  counts: {},
  project: null,
  shortcuts: true,
};

/** The view whose markup becomes text: that is done at once, with nothing in between. */
let current = NOWHERE;

/** The text of markup whose components use a view. */
export function renderFor(view: View, markup: Markup): string {
  current = view;
  try {
    return markup.toString();
  } finally {
    current = NOWHERE;
  }
}

export function useView(): View {
  return current;
}

/**
 * Whether the person who looks at the page holds a scope in a place, by default that of the page, so that
 * pages offer only what would be allowed.
 */
export function useMay(scope: Scope, reach?: Reach): boolean {
  const { caller, reach: here } = useView();
  if (caller === null) return false;
  return hasScope(caller, scope, reach ?? here);
}

/** Whether that person may change the forms of a project and their submissions; with null, those of any. */
export function useMayWriteForms(project: string | null): boolean {
  const { caller } = useView();
  if (caller === null) return false;
  return project === null
    ? hasScopeSomewhere(caller, "forms:write")
    : hasScope(caller, "forms:write", { project });
}

/** Whether that person may send a delivery again: of the form of a project, or of its notices with null for a form. */
export function useMayRetry({ project, form }: { project: string; form: string | null }): boolean {
  const mayNotices = useMay("flags:write", { project });
  return useMayWriteForms(project) && (form !== null || mayNotices);
}

/** Whether that person may read a section: what is in projects in any of them, the rest in everything. */
export function useMaySee(scope: Scope): boolean {
  const { caller } = useView();
  return caller !== null && maySee(caller, scope);
}

/** The same for a caller. */
export function maySee(caller: Caller, scope: Scope): boolean {
  return scope === "admin" ? hasScope(caller, scope) : hasScopeSomewhere(caller, scope);
}

/**
 * Whether that person may change flags in all of these environments, or propose it: locked ones need a scope of their own,
 * unless a change of them needs approvals.
 */
export function useMayChange(
  environments: readonly { slug: string; locked?: boolean; approvals?: number }[],
): boolean {
  const { caller, reach } = useView();
  if (environments.length === 0) return useMay("flags:write");
  return caller !== null && mayChange(caller, reach.project, environments);
}

/** The same for a caller and environments of a project, one at least. */
export function mayChange(
  caller: Caller,
  project: string | undefined,
  environments: readonly { slug: string; locked?: boolean; approvals?: number }[],
): boolean {
  return environments.every(({ slug, locked, approvals = 0 }) =>
    hasScope(caller, locked && approvals === 0 ? "flags:locked" : "flags:write", {
      project,
      environment: slug,
    }),
  );
}

/** The project and the environment in the address of a page; the page of a flag has the latter in its query. */
export function reachOf({ req }: Pick<DashboardContext, "req">): Reach {
  const { project, environment, flag } = req.param() as Record<string, string>;
  const isFlag = req.method === "GET" && flag !== undefined && /\/flags\/[^/]+$/.test(req.path);
  return { project, environment: environment ?? (isFlag ? req.query("environment") : undefined) };
}

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The texts of queries, of which many links of a page may have the same. */
const texts = new WeakMap<Query, string>();

/** The address of a page of the dashboard: `/inbox` with `{ folder: "spam" }` is `<root>/inbox?folder=spam`. */
export function addressOf({ root }: Pick<View, "root">, path: string, query?: Query): string {
  const page = path === "/" ? root : root + path;
  const text = query === undefined ? "" : textOf(query);
  return text === "" ? page : `${page}?${text}`;
}

function textOf(query: Query): string {
  let text = texts.get(query);
  if (text !== undefined) return text;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== undefined && value !== false && value !== "")
      parameters.append(name, String(value));
  text = parameters.toString();
  texts.set(query, text);
  return text;
}
