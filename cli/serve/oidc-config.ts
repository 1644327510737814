import { ROLES, type Role } from "../../src/access/role.ts";
import type { GroupRole, OidcRules } from "../../src/access/oidc/settings.ts";
import { isLoopbackHost } from "../../src/base/network.ts";
import { findSlugFault } from "../../src/base/slug.ts";
import type { OidcClient } from "../../src/send/oidc.ts";
import { DASHBOARD_PATH, OIDC_CALLBACK_PATH } from "../../src/http/paths.ts";
import { readText } from "../session/sources.ts";
import { usage } from "../session/usage.ts";
import { durationValue } from "../session/values.ts";

/** The settings of sign-in by an OpenID provider. The file of the secret is named and not yet read. */
export type OidcSettings = {
  client: Omit<OidcClient, "clientSecret"> & { secretFile: string | null };
  rules: OidcRules;
};

/** As commander leaves them in `oidcOptions`. */
type Given = {
  oidcIssuer?: string;
  oidcClientId?: string;
  oidcClientSecretFile?: string;
  oidcName?: string;
  oidcScopes?: string;
  oidcUserClaim?: string;
  oidcGroupsClaim?: string;
  oidcRequire?: string[];
  oidcMap?: string[];
  oidcCreate?: string;
  oidcTrustNames?: true;
  oidcSession?: string;
};

/** Options that mean nothing without a provider. */
const ALONE = [
  ["oidcClientId", "--oidc-client-id"],
  ["oidcClientSecretFile", "--oidc-client-secret-file"],
  ["oidcName", "--oidc-name"],
  ["oidcRequire", "--oidc-require"],
  ["oidcMap", "--oidc-map"],
  ["oidcCreate", "--oidc-create"],
  ["oidcTrustNames", "--oidc-trust-names"],
] as const;

/** Longest session, in seconds. */
const MAX_SESSION = 90 * 86_400;

/** The settings by the options of `serve`; null without a provider. Throws `invalid`. */
export function readOidc(options: Record<string, unknown>, dashboardUrl: string | null): OidcSettings | null {
  const given = options as Given;
  const { oidcIssuer: issuer, oidcClientId: clientId } = given;
  if (issuer === undefined) {
    const alone = ALONE.find(([name]) => given[name] !== undefined);
    if (alone)
      throw usage(
        `${alone[1]} needs --oidc-issuer`,
        "name the provider: --oidc-issuer https://auth.example.com",
      );
    return null;
  }
  const { host } = issuerUrl(issuer);
  if (clientId === undefined)
    throw usage(
      "--oidc-issuer needs --oidc-client-id",
      "it is the name of the client that you made at the provider",
    );
  if (dashboardUrl === null)
    throw usage(
      "--oidc-issuer needs --dashboard-url: the provider sends people back there",
      "name the address at which browsers reach the dashboard, such as --dashboard-url https://flags.example.com",
    );
  const scopes = (given.oidcScopes ?? "openid profile email").split(/[\s,]+/).filter(Boolean);
  if (!scopes.includes("openid"))
    throw usage("--oidc-scopes lacks the scope openid", 'write --oidc-scopes "openid profile email"');
  const sessionSeconds = durationValue(given.oidcSession ?? "12h", "--oidc-session");
  if (sessionSeconds < 1 || sessionSeconds > MAX_SESSION)
    throw usage(`--oidc-session is 1s to 90d, not ${given.oidcSession}`);
  return {
    client: {
      issuer,
      clientId,
      secretFile: given.oidcClientSecretFile ?? null,
      scopes: scopes.join(" "),
      redirectUri: `${dashboardUrl}${DASHBOARD_PATH}${OIDC_CALLBACK_PATH}`,
    },
    rules: {
      name: given.oidcName ?? host,
      userClaim: given.oidcUserClaim ?? "preferred_username",
      groupsClaim: given.oidcGroupsClaim ?? "groups",
      required: (given.oidcRequire ?? []).flatMap(requiredIn),
      map: (given.oidcMap ?? []).flatMap(groupRolesIn),
      createAs: given.oidcCreate === "none" || given.oidcCreate === "viewer" ? given.oidcCreate : null,
      trustsNames: given.oidcTrustNames === true,
      sessionSeconds,
    },
  };
}

/** Reads the secret from its file, else takes that of the environment; without any the client is public. Throws `invalid`. */
export async function loadOidcClient(
  settings: OidcSettings | null,
  secret: string | undefined,
): Promise<OidcClient | null> {
  if (settings === null) return null;
  const { secretFile, ...client } = settings.client;
  const stored = secretFile === null ? secret : await readText(secretFile, "--oidc-client-secret-file");
  const clientSecret = stored?.trim() ?? null;
  if (clientSecret === "") throw usage(`--oidc-client-secret-file: the file ${secretFile} is empty`);
  return { ...client, clientSecret };
}

function issuerUrl(issuer: string): URL {
  const url = URL.parse(issuer);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  )
    throw usage(
      `--oidc-issuer ${issuer} is not the address of a provider`,
      "it looks like https://auth.example.com",
    );
  if (url.protocol !== "https:" && !isLoopbackHost(url.hostname))
    throw usage(`--oidc-issuer ${issuer} is not https: others on the network could sign in as any user`);
  return url;
}

/** `hd=example.com`, or several with commas between them. */
function requiredIn(text: string): { claim: string; value: string }[] {
  return text.split(/,\s*(?=[\w.:/-]+=)/).map((item) => {
    const [, claim, value] = /^([^=]+)=(.+)$/s.exec(item.trim()) ?? [];
    if (claim === undefined || value === undefined)
      throw usage(`--oidc-require ${item} is not a claim with its value`, "it looks like hd=example.com");
    return { claim, value };
  });
}

/** `staff=viewer` or `devs=shop:editor`, or several with commas between them; a group may hold commas and `=`. */
function groupRolesIn(text: string): GroupRole[] {
  const items: GroupRole[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const [whole, group, project, role] = ITEM.exec(rest) ?? [];
    if (whole === undefined || (project !== undefined && findSlugFault("project", project) !== undefined))
      throw usage(
        `--oidc-map ${rest} is not a group with its role`,
        `it looks like staff=viewer or devs=shop:editor; a role is one of ${ROLES.join(", ")}`,
      );
    items.push({ group: group!, project: project ?? null, role: role as Role });
    rest = rest.slice(whole.length).trim();
  }
  return items;
}

/** The shortest beginning that ends with a role, before a comma or the end. */
const ITEM = new RegExp(`^(.+?)=(?:([\\w.-]+):)?(${ROLES.join("|")})(?:,|$)`, "s");
