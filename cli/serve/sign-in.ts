import type { App } from "../../src/app.ts";
import { once } from "../../src/base/once.ts";
import type { DashboardOptions } from "../../src/http/dashboard/dashboard-env.ts";
import type { OidcClient } from "../../src/send/oidc.ts";
import { VERSION } from "../version.ts";
import type { ServeConfig } from "./config.ts";
import { type DashboardConfig, linkBaseOf } from "./dashboard-config.ts";
import type { Log } from "./log.ts";
import type { OidcSettings } from "./oidc-config.ts";

type Config = Pick<DashboardConfig, "passwords" | "oidc" | "authHeader" | "authCreate">;

/** The ways to sign in, as the dashboard takes them. */
export function signInOf(
  { passwords, oidc, authHeader: header, authCreate: createAs }: Config,
  app: Pick<App, "now">,
  client: OidcClient | null,
  isTrusted: (address: string) => boolean,
): Pick<DashboardOptions, "passwords" | "oidc" | "proxy"> {
  const proxy = header === null ? null : { header, isTrusted, createAs };
  return { passwords, oidc: openOidc(oidc, app, client), proxy };
}

/** The provider of sign-ins, whose library is loaded with the first one; null without one. */
function openOidc(
  settings: OidcSettings | null,
  app: Pick<App, "now">,
  client: OidcClient | null,
): DashboardOptions["oidc"] {
  if (settings === null || client === null) return null;
  const provider = once(async () => {
    const { createOidcProvider } = await import("../../src/send/oidc.ts");
    return createOidcProvider(client, app.now);
  });
  return { rules: settings.rules, provider };
}

/** How people sign assistants in; null without `--mcp`, and without the dashboard, where they do. */
export function assistantsOf(
  config: ServeConfig,
  { now }: Pick<App, "now">,
  log: Pick<Log, "line">,
): DashboardOptions["assistants"] {
  const { mcp, dashboard, basePath, adminListen, publicUrl, outgoing } = config;
  if (!mcp || !dashboard) return null;
  const urls = [linkBaseOf(config), adminListen === null ? publicUrl : null];
  return {
    urls: urls.filter((url) => url !== null),
    basePath,
    registers: config.mcpRegistration,
    async read(url, limits) {
      const { createReader } = await import("../../src/send/client-document.ts");
      const found = await createReader(outgoing.targetNetworks, now, VERSION)(url, limits);
      if ("error" in found)
        log.line("debug", `the document of a client at ${new URL(url).host} cannot be read: ${found.error}`);
      return found;
    },
  };
}
