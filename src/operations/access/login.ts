import { beginLogin, pollLogin } from "../../access/device/device-logins.ts";
import { LOGIN_LIMITS } from "../../access/limits.ts";
import { endLogin } from "../../access/sessions.ts";
import { parseDuration } from "../../base/units.ts";
import { noun } from "../operation.ts";

const shared = { scope: null, place: "self", confirms: false, explains: false } as const;

/** The path of the page where a login is approved, behind that of the dashboard. */
const PAGE = "/device";

export const login = noun("login", async () => (await import("./schema/sign-in-schema.ts")).login, {
  begin: {
    ...shared,
    method: "POST",
    path: "/device-authorization",
    summary: "Begin a login of the command line, which a person approves in the dashboard (RFC 8628)",
    isOpen: true,
    maxBody: 8192,
    run: async ({ app, deployment, sender, body }) => {
      const { client, expiresIn } = body;
      const seconds = typeof expiresIn === "string" ? parseDuration(expiresIn) : expiresIn;
      const begun = await beginLogin(app, { client, seconds }, sender);
      const page = await deployment.pageUrl(PAGE);
      return {
        device_code: begun.deviceCode,
        user_code: begun.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?code=${begun.userCode}`,
        expires_in: LOGIN_LIMITS.waitSeconds,
        interval: LOGIN_LIMITS.interval,
      };
    },
  },
  poll: {
    ...shared,
    method: "POST",
    path: "/device-token",
    summary: "Get the token of a login that was approved, once",
    isOpen: true,
    maxBody: 8192,
    run: async ({ app, body }) => {
      const { secret, user, expiresAt } = await pollLogin(app, body.device_code);
      const expires_in = Math.floor((expiresAt - app.now()) / 1000);
      return { access_token: secret, token_type: "Bearer" as const, expires_in, user };
    },
  },
  end: {
    ...shared,
    method: "POST",
    path: "/logout",
    summary: "End the login whose token is sent",
    run: ({ app, caller }) => endLogin(app, caller),
  },
});
