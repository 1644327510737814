import { Option } from "commander";
import { ROLES } from "../../src/access/role.ts";

/** The options of the dashboard. */
export function dashboardOptions(): Option[] {
  return [
    new Option("--no-dashboard", "serve no dashboard").env("FORMFLAG_NO_DASHBOARD"),
    new Option(
      "--dashboard-url <url>",
      "address at which browsers reach the dashboard; sign-in links begin with it, and only forms from there are accepted",
    ).env("FORMFLAG_DASHBOARD_URL"),
    new Option(
      "--auth-header <name>",
      "header in which a trusted proxy names the signed-in user; needs --dashboard-url",
    ).env("FORMFLAG_AUTH_HEADER"),
    new Option(
      "--auth-create <role>",
      "create users that the proxy names, as viewers; without it, they must exist",
    )
      .env("FORMFLAG_AUTH_CREATE")
      .choices(["viewer"]),
    new Option(
      "--second-factor <role>",
      "role from which users need a second factor after a password or link, here or in a project; default: none",
    )
      .env("FORMFLAG_SECOND_FACTOR")
      .choices(ROLES),
  ];
}
