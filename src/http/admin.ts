import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { generateSpecs } from "hono-openapi";
import type { App } from "../app.ts";
import { AppError } from "../errors.ts";
import { MAX_ADMIN_BODY, formatBytes } from "../limits.ts";
import { environmentRoutes } from "./admin/environments.ts";
import { flagRoutes } from "./admin/flags.ts";
import { formRoutes } from "./admin/forms.ts";
import { projectRoutes } from "./admin/projects.ts";
import { submissionRoutes } from "./admin/submissions.ts";
import { tokenRoutes } from "./admin/tokens.ts";
import { identify, type AdminEnv } from "./auth.ts";
import { showError, type Report } from "./errors.ts";
import { ADMIN_PATH, OPENAPI_PATH } from "./paths.ts";

/** The admin API: design.md, section 5. Commands call the same app, over HTTP or in their own process. */
export function createAdminApp(app: App, about: { version: string; report: Report }): Hono<AdminEnv> {
  const admin = new Hono<AdminEnv>();
  admin.onError((error, c) => {
    const { status, code, message, hint, headers } = showError(error, about.report);
    if (status === 401) headers["WWW-Authenticate"] = 'Bearer realm="formflag"';
    return c.json({ error: { code, message, hint } }, status, headers);
  });
  admin.use(`${ADMIN_PATH}/*`, identify(app));
  admin.use(`${ADMIN_PATH}/*`, bodyLimit({ maxSize: MAX_ADMIN_BODY, onError: refuseLarge }));
  admin.use(`${ADMIN_PATH}/*`, async (c, next) => {
    await next();
    c.header("Cache-Control", "no-store");
  });
  for (const routes of [
    projectRoutes,
    environmentRoutes,
    flagRoutes,
    formRoutes,
    submissionRoutes,
    tokenRoutes,
  ]) {
    admin.route(ADMIN_PATH, routes(app));
  }
  admin.all(`${ADMIN_PATH}/*`, () => {
    throw new AppError("not_found", "the admin API has no such address or method", {
      hint: `GET ${OPENAPI_PATH} lists what there is`,
    });
  });

  let document: ReturnType<typeof describe> | undefined;
  admin.get(OPENAPI_PATH, async (c) => c.json(await (document ??= describe(admin, about.version))));
  return admin;
}

function describe(admin: Hono<AdminEnv>, version: string) {
  return generateSpecs(admin, {
    exclude: [OPENAPI_PATH, `${ADMIN_PATH}/*`],
    documentation: {
      info: {
        title: "formflag admin API",
        version,
        description: "Manages projects, environments, flags, forms, submissions and tokens.",
      },
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      security: [{ token: [] }],
    },
  });
}

function refuseLarge(): never {
  throw new AppError("too_large", `a request body has at most ${formatBytes(MAX_ADMIN_BODY)}`);
}
