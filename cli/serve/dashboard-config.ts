import { ROLES, type Role } from "../../src/access/role.ts";
import { type OidcSettings, readOidc } from "./oidc-config.ts";
import { usage } from "../session/usage.ts";

/** The settings of the dashboard. */
export type DashboardConfig = {
  /** Whether it is served. */
  dashboard: boolean;
  /** URL of the dashboard for browsers, with the base path and without a trailing slash; null if unknown. */
  dashboardUrl: string | null;
  /** The header in which a trusted proxy names who is signed in; null for none. */
  authHeader: string | null;
  /** The role of users that it names for the first time; null if users must exist. */
  authCreate: Role | null;
  /** The weakest role that needs a second factor beside a password or a link; null for none. */
  secondFactor: Role | null;
  /** Whether passwords sign in. */
  passwords: boolean;
  /** The OpenID provider where people sign in; null for none. */
  oidc: OidcSettings | null;
};

/** As commander leaves them in `serveOptions`. */
type Given = {
  dashboard?: boolean;
  dashboardUrl?: string;
  authHeader?: string;
  authCreate?: string;
  secondFactor?: string;
  trustedProxy?: string[];
  password?: boolean;
};

/** The settings of the dashboard by the options of `serve`. Throws `invalid`. */
export function readDashboard(options: Record<string, unknown>, basePath: string): DashboardConfig {
  const {
    dashboard = true,
    dashboardUrl,
    authHeader,
    authCreate,
    secondFactor,
    trustedProxy = [],
    password = true,
  } = options as Given;
  if (authHeader !== undefined && !/^[A-Za-z][\w-]*$/.test(authHeader))
    throw usage(`--auth-header ${authHeader} is not the name of a header`, "it looks like Remote-User");
  if (authHeader !== undefined && trustedProxy.length === 0) {
    throw usage(
      "--auth-header needs --trusted-proxy: without it, anyone could send the header",
      "name the addresses of the proxy that signs people in, such as --trusted-proxy 127.0.0.1",
    );
  }
  if (authHeader !== undefined && dashboardUrl === undefined) {
    throw usage(
      "--auth-header needs --dashboard-url: any other name that leads to the proxy could be that of an attacker",
      "name the address at which browsers reach the dashboard, such as --dashboard-url https://flags.example.com",
    );
  }
  if (authCreate !== undefined && authHeader === undefined)
    throw usage("--auth-create needs --auth-header", "name the header of the proxy that signs people in");
  const url =
    dashboardUrl === undefined ? null : checkDashboardUrl(dashboardUrl, basePath, "--dashboard-url");
  const oidc = readOidc(options, url);
  if (!password && oidc === null && authHeader === undefined)
    throw usage(
      "--no-password needs another way to sign in",
      "name an OpenID provider with --oidc-issuer, or the header of a proxy with --auth-header",
    );
  return {
    dashboard,
    dashboardUrl: url,
    passwords: password,
    oidc,
    authHeader: authHeader ?? null,
    authCreate: ROLES.find((role) => role === authCreate) ?? null,
    secondFactor: ROLES.find((role) => role === secondFactor) ?? null,
  };
}

/** Prefix of sign-in links; null for a path. The public URL is used if the dashboard shares the address of the forms. */
export function linkBaseOf({
  dashboardUrl,
  publicUrl,
  adminListen,
}: {
  dashboardUrl: string | null;
  publicUrl: string | null;
  adminListen: unknown;
}): string | null {
  return dashboardUrl ?? (adminListen === null ? (publicUrl?.replace(/\/+$/, "") ?? null) : null);
}

/** The same by the variables of an environment, for commands that act without a server. Throws `invalid`. */
export function linkBaseFromEnvironment(env: Readonly<Record<string, string | undefined>>): {
  dashboardUrl: string | null;
  basePath: string;
} {
  const basePath = env["FORMFLAG_BASE_PATH"]?.replace(/\/+$/, "") ?? "";
  const given = env["FORMFLAG_DASHBOARD_URL"];
  const dashboardUrl =
    given === undefined ? null : checkDashboardUrl(given, basePath, "FORMFLAG_DASHBOARD_URL");
  const publicUrl = env["FORMFLAG_PUBLIC_URL"] ?? null;
  const adminListen = env["FORMFLAG_ADMIN_LISTEN"] ?? null;
  return { dashboardUrl: linkBaseOf({ dashboardUrl, publicUrl, adminListen }), basePath };
}

/** The origin of a URL with the base path, which it may name or leave out. Throws `invalid`. */
function checkDashboardUrl(text: string, basePath: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw usage(`${name} ${text} is not a web address`, "it looks like https://flags.example.com");
  const path = url.pathname.replace(/\/+$/, "");
  if ((path !== "" && path !== basePath) || url.search !== "" || url.hash !== "") {
    throw usage(
      `${name} ${text} has more than a host`,
      "write it as https://flags.example.com; a path before /dashboard is set with --base-path",
    );
  }
  return `${url.origin}${basePath}`;
}
