import { generateSpecs } from "hono-openapi";
import { Hono } from "hono/quick";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import type { Outgoing } from "../../delivery/outgoing.ts";
import type { CommitMinute } from "../../maintenance/commit-latency.ts";
import type { Noun as Operations } from "../../operations/operation.ts";
import { type AdminEnv, identify } from "../auth.ts";
import { type Report, showError } from "../errors.ts";
import { ADMIN_PATH, OPENAPI_PATH } from "../paths.ts";
import type { Guard } from "../rate-limit.ts";

/** Returns what makes the routes of operations. */
async function operations<S, P extends Record<string, string>>(noun: Operations<S, P>) {
  const { routesOf } = await import("./routes.ts");
  return (app: App) => routesOf(app, noun);
}

/** Imported on demand, since a command needs the routes of only one noun. */
const ROUTES = {
  projects: async () => operations((await import("../../operations/projects.ts")).projects),
  environments: async () => (await import("./environments.ts")).environmentRoutes,
  flags: async () => (await import("./flags.ts")).flagRoutes,
  feedback: async () => (await import("./feedback.ts")).feedbackRoutes,
  ratings: async () => (await import("./ratings.ts")).ratingRoutes,
  stale: async () => (await import("./stale.ts")).staleRoutes,
  "code-refs": async () => (await import("./code-references.ts")).codeReferenceRoutes,
  segments: async () => (await import("./segments.ts")).segmentRoutes,
  flagd: async () => (await import("./flagd.ts")).flagdRoutes,
  history: async () => (await import("./history.ts")).historyRoutes,
  rollback: async () => (await import("./rollback.ts")).rollbackRoutes,
  promote: async () => (await import("./promote.ts")).promoteRoutes,
  scheduled: async () => (await import("./scheduled.ts")).scheduledRoutes,
  forms: async () => (await import("./forms.ts")).formRoutes,
  targets: async () => (await import("./targets.ts")).targetRoutes,
  submissions: async () => (await import("./submissions.ts")).submissionRoutes,
  deliveries: async () => (await import("./deliveries.ts")).deliveryRoutes,
  export: async () => (await import("./export.ts")).exportRoutes,
  apply: async () => (await import("./apply.ts")).applyRoutes,
  stats: async () => (await import("./stats.ts")).statsRoutes,
  mail: async () => (await import("./mail.ts")).mailRoutes,
  tokens: async () => operations((await import("../../operations/tokens.ts")).tokens),
  users: async () => (await import("./users.ts")).userRoutes,
  sessions: async () => (await import("./sessions.ts")).sessionRoutes,
};

export type Noun = keyof typeof ROUTES;
const NOUNS = Object.keys(ROUTES) as Noun[];

export type AdminApp = Hono<AdminEnv>;

/**
 * The noun whose routes answer a path behind `/api/admin/v1`, in which collections and names take turns. A path of several
 * nouns belongs to the last of them in the list: flags come after the environments and projects that hold them.
 */
export function nounOf(path: string): Noun | undefined {
  const collections = new Set(path.split("/").filter((_, index) => index % 2 === 1));
  return NOUNS.findLast((noun) => collections.has(noun));
}

type AdminOptions = {
  version: string;
  report: Report;
  publicUrl?: string | null;
  basePath?: string;
  /** Where browsers reach the dashboard, with the base path; null where that is not known. */
  dashboardUrl?: string | null;
  guard?: Guard;
  /** Opens connections to targets and the mail server, on demand. */
  outgoing: () => Promise<Outgoing>;
  /** How long the commits of a server took: see `createCommitLatency`. */
  commitMinutes?: () => readonly CommitMinute[];
};

/**
 * The admin API, or its part for some nouns: design.md, section 5. Commands call the same app, over HTTP or in their
 * own process.
 */
export async function createAdminApp(
  app: App,
  options: AdminOptions,
  nouns: readonly Noun[] = NOUNS,
): Promise<AdminApp> {
  const admin = new Hono<AdminEnv>();
  admin.onError((error, c) => {
    const { status, code, reason, message, hint, headers } = showError(error, options.report, c.req.raw);
    if (status === 401) headers["WWW-Authenticate"] = 'Bearer realm="formflag"';
    return c.json({ error: { code, reason, message, hint } }, status, headers);
  });
  admin.use(`${ADMIN_PATH}/*`, async (c, next) => {
    const leave = c.env?.client && options.guard?.(() => c.env.client!);
    await next();
    leave?.();
    c.header("Cache-Control", "no-store");
  });
  admin.use(`${ADMIN_PATH}/*`, identify(app));
  for (const noun of nouns) admin.route(ADMIN_PATH, await (await ROUTES[noun]())(app, options));
  admin.all(`${ADMIN_PATH}/*`, () => {
    throw new AppError("not_found", "the admin API has no such address or method", {
      hint: `GET ${OPENAPI_PATH} lists the operations`,
    });
  });

  let document: ReturnType<typeof describe> | undefined;
  admin.get(OPENAPI_PATH, async (c) => c.json(await (document ??= describe(admin, options))));
  return admin;
}

function describe(admin: Hono<AdminEnv>, { version, basePath }: { version: string; basePath?: string }) {
  return generateSpecs(admin, {
    exclude: [OPENAPI_PATH, `${ADMIN_PATH}/*`],
    documentation: {
      info: {
        title: "formflag admin API",
        version,
        description: "Manages projects, environments, flags, forms, targets, submissions, tokens and users.",
      },
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      servers: [{ url: basePath || "/" }],
      security: [{ token: [] }],
    },
  });
}
