import { Option } from "commander";

/** The options of sign-in by an OpenID provider. */
export function oidcOptions(): Option[] {
  return [
    new Option(
      "--oidc-issuer <url>",
      "OpenID provider for signing in to the dashboard; needs --dashboard-url",
    ).env("FORMFLAG_OIDC_ISSUER"),
    new Option("--oidc-client-id <id>", "id of this server's client at the provider").env(
      "FORMFLAG_OIDC_CLIENT_ID",
    ),
    new Option(
      "--oidc-client-secret-file <file>",
      "file with the client secret; FORMFLAG_OIDC_CLIENT_SECRET contains the secret itself",
    ).env("FORMFLAG_OIDC_CLIENT_SECRET_FILE"),
    new Option("--oidc-name <name>", "name of the provider on the button; default: its host").env(
      "FORMFLAG_OIDC_NAME",
    ),
    new Option("--oidc-scopes <scopes>", "scopes to request, separated by spaces")
      .env("FORMFLAG_OIDC_SCOPES")
      .default("openid profile email"),
    new Option("--oidc-user-claim <claim>", "claim that names new users")
      .env("FORMFLAG_OIDC_USER_CLAIM")
      .default("preferred_username"),
    new Option(
      "--oidc-groups-claim <claim>",
      "claim that lists the groups of a person, such as realm_access.roles",
    )
      .env("FORMFLAG_OIDC_GROUPS_CLAIM")
      .default("groups"),
    listOf(
      "--oidc-require <claim=value>",
      "admit only people with this claim, such as hd=example.com; repeatable",
    ).env("FORMFLAG_OIDC_REQUIRE"),
    listOf(
      "--oidc-map <group=role>",
      "role of a group, in every project or in one: staff=viewer, devs=shop:editor; repeatable",
    ).env("FORMFLAG_OIDC_MAP"),
    new Option("--oidc-create <role>", "create users who sign in for the first time, with this role")
      .env("FORMFLAG_OIDC_CREATE")
      .choices(["none", "viewer"]),
    new Option(
      "--oidc-trust-names",
      "sign in the user with the name that the provider gives, if that user has no account there yet",
    ).env("FORMFLAG_OIDC_TRUST_NAMES"),
    new Option("--oidc-session <time>", "how long a session from the provider lasts")
      .env("FORMFLAG_OIDC_SESSION")
      .default("12h"),
    new Option("--no-password", "accept no passwords; sign-in links still work").env("FORMFLAG_NO_PASSWORD"),
  ];
}

/** An option that may be repeated; its values are split where they are read, since they may hold commas. */
function listOf(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string, earlier: string[] | undefined) => [
    ...(earlier ?? []),
    text,
  ]);
}
