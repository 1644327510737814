import type { OidcRules } from "../../../src/access/oidc/settings.ts";
import type { DashboardOptions } from "../../../src/http/dashboard/dashboard-env.ts";
import { createOidcProvider } from "../../../src/send/oidc.ts";
import type { ClockedApp } from "../app.ts";
import { openDashboard } from "../pages/dashboard.ts";
import { freePort } from "../peers/ports.ts";

export const CLIENT_ID = "formflag";
/** With characters that are encoded in a header. */
export const CLIENT_SECRET = "a-secret_of+the client";

export const RULES: OidcRules = {
  name: "Company",
  userClaim: "preferred_username",
  groupsClaim: "groups",
  required: [],
  map: [],
  createAs: null,
  trustsNames: false,
  sessionSeconds: 43_200,
};

export type Start = { callback: string; backChannel: string };

/**
 * A dashboard at an address of this machine where people sign in by a provider that `start` begins, which may send requests
 * to it. `rules` may be changed while it runs.
 */
export async function openCompany<P extends { issuer: string }>(
  app: ClockedApp,
  start: (urls: Start) => Promise<P>,
  rules: Partial<OidcRules> = {},
  options: Partial<DashboardOptions> = {},
) {
  const url = `http://127.0.0.1:${freePort()}`;
  const callback = `${url}/dashboard/sign-in/oidc/callback`;
  const peer = await start({ callback, backChannel: `${url}/dashboard/sign-in/oidc/logout` });
  const client = {
    issuer: peer.issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    scopes: "openid profile email groups",
    redirectUri: callback,
  };
  const changed: OidcRules = { ...RULES, ...rules };
  const warned: string[] = [];
  const provider = createOidcProvider(client, app.now);
  const dashboard = openDashboard(
    app,
    { dashboardUrl: url, oidc: { rules: changed, provider: async () => provider }, ...options },
    url,
    (text) => void warned.push(text),
  );
  return { ...dashboard, peer, url, callback, rules: changed, warned };
}
