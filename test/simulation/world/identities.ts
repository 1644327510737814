import {
  addPasskey,
  beginPasskey,
  beginSignIn,
  removePasskey,
  renamePasskey,
  signInByPasskey,
} from "../../../src/access/factors/passkeys.ts";
import { siteOf } from "../../../src/access/factors/site.ts";
import { logOutByProvider } from "../../../src/access/oidc/logout.ts";
import { connectIdentity, disconnectIdentity, signInByOidc } from "../../../src/access/oidc/oidc-sign-in.ts";
import type { OidcRules } from "../../../src/access/oidc/settings.ts";
import { createAuthenticator } from "../../support/peers/authenticator.ts";

import { ask, request } from "./asking.ts";
import { ASIDE, BROWSER, type People } from "./people.ts";

const ORIGIN = "https://forms.example";
const ISSUER = "https://accounts.example";

const RULES: OidcRules = {
  name: "Accounts",
  userClaim: "preferred_username",
  groupsClaim: "realm.groups",
  required: [{ claim: "works_here", value: "true" }],
  map: [
    { group: "staff", project: ASIDE, role: "editor" },
    { group: "leads", project: ASIDE, role: "releaser" },
    { group: "leads", project: null, role: "viewer" },
  ],
  createAs: "none",
  trustsNames: false,
  sessionSeconds: 3600,
};

/** Steps of people with passkeys, with accounts at a provider, and with tokens. */
export function identitySteps({ world, anyServer, twice, enter, mustBeOver, callerOf }: People) {
  const { chance } = world.scheduler;
  const devices = new Map<string, { device: ReturnType<typeof createAuthenticator>; id: string }>();
  let numbers = 0;

  const signIn = async (name: string, device: ReturnType<typeof createAuthenticator>) => {
    const begun = await ask(world, anyServer(), ({ app }) => beginSignIn(app, siteOf(ORIGIN)));
    if (!begun.value) return;
    device.counter += 1;
    const credential = device.get(begun.value.options);
    const use = { credential, ticket: begun.value.ticket, site: siteOf(ORIGIN) };
    await twice(`a passkey of ${name}`, ({ app }) => signInByPasskey(app, use as never, BROWSER));
  };
  const person = () => {
    const number = chance.int(4);
    const groups = chance.pick([[], ["staff"], ["leads"], ["staff", "leads"]]);
    const claims = {
      preferred_username: `person-${number}`,
      email: `person-${number}@example.com`,
      works_here: !chance.once(8),
      realm: { groups },
    };
    return { issuer: ISSUER, subject: `subject-${number}`, sid: `sid-${(numbers += 1)}`, claims };
  };

  return [
    async function passkeys() {
      const name = chance.pick(["dan", "eli"]);
      const entered = await enter(name);
      if (!entered) return;
      const self = { user: name, session: entered.session.id };
      const known = devices.get(name);
      if (known && chance.once(4)) {
        await ask(world, anyServer(), (server) =>
          renamePasskey(server.app, callerOf(server, entered), self, { id: known.id, name: "another name" }),
        );
        const removed = await ask(world, anyServer(), (server) =>
          removePasskey(server.app, callerOf(server, entered), self, known.id),
        );
        if (removed.code === "ok") devices.delete(name);
        return;
      }
      if (known) return signIn(name, known.device);
      const site = siteOf(ORIGIN);
      const begun = await ask(world, anyServer(), (server) =>
        beginPasskey(server.app, callerOf(server, entered), self, site),
      );
      if (!begun.value) return;
      const device = createAuthenticator(ORIGIN);
      const credential = device.create(begun.value.options as never);
      const { ticket } = begun.value;
      const made = await twice(`the challenge of ${name}`, (server) =>
        addPasskey(server.app, callerOf(server, entered), self, {
          name: "key",
          credential: credential,
          ticket,
          site,
        }),
      );
      if (made) devices.set(name, { device, id: made.id });
    },
    async function accounts() {
      const identified = person();
      const entered = await ask(world, anyServer(), ({ app }) =>
        signInByOidc(app, RULES, identified, BROWSER),
      );
      if (entered.code === "ok" && !identified.claims.works_here)
        world.violated("somebody without the claim that is required signed in");
      if (!entered.value || chance.once(2)) return;
      const { secret } = entered.value;
      const event = "http://schemas.openid.net/event/backchannel-logout";
      const claims = {
        events: { [event]: {} },
        iat: Math.floor(world.scheduler.now() / 1000),
        jti: `token-${(numbers += 1)}`,
        ...(chance.once(2) ? { sid: identified.sid } : { sub: identified.subject }),
      };
      const by = { name: "provider", type: "system" as const };
      let isDone = false;
      await twice("a logout token", async ({ app }) => {
        await logOutByProvider(app, { issuer: ISSUER, claims }, by);
        isDone = true;
      });
      if (isDone) await mustBeOver("a logout token", secret);
    },
    async function connections() {
      const entered = await enter("eli");
      if (!entered) return;
      await ask(world, anyServer(), (server) =>
        chance.once(3)
          ? disconnectIdentity(server.app, callerOf(server, entered))
          : connectIdentity(server.app, RULES, callerOf(server, entered), person()),
      );
    },
    async function tokens() {
      const name = `token-${(numbers += 1)}`;
      const scopes = [chance.pick(["read", "flags:read", "forms:read", "flags:write", "admin"])];
      const body = { name, scopes, ...(scopes[0] === "flags:write" && { project: ASIDE }) };
      const made = await request(world, anyServer(), { method: "POST", path: "/tokens", body });
      const secret = made.value?.["token"] as string | undefined;
      if (secret === undefined) return;
      await request(world, anyServer(), { method: "GET", path: "/me", secret });
      const asAdmin = { method: "POST", path: "/projects", body: { slug: `by-${name}` }, secret };
      const created = await request(world, anyServer(), asAdmin);
      if (created.code === "ok" && scopes[0] !== "admin")
        world.violated(`a token with ${scopes[0]} created a project`);
      const path = `/tokens/${name}${scopes[0] === "flags:write" ? `?project=${ASIDE}` : ""}`;
      const revoked = await request(world, anyServer(), { method: "DELETE", path });
      if (revoked.code !== "ok") return;
      const server = anyServer();
      const { watch } = server.app;
      const [wasCurrent, failed] = [watch.staleFor() === 0, watch.counts().failed];
      const after = await request(world, server, { method: "GET", path: "/me", secret });
      // While the database does not answer, a process goes by what it knew.
      const isCurrent = wasCurrent && watch.staleFor() === 0 && watch.counts().failed === failed;
      if (after.code === "ok" && isCurrent) world.violated(`the token ${name} counts after it was revoked`);
    },
  ];
}
