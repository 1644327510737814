import { answerLogin, findLogin } from "../../../src/access/device/device-logins.ts";
import { signInByCode, whoBegan } from "../../../src/access/factors/code-step.ts";
import {
  removeTotp,
  renewRecoveryCodes,
  resetFactors,
  setUpTotp,
} from "../../../src/access/factors/factors.ts";
import { totpCode, totpKey, totpStep } from "../../../src/access/factors/totp.ts";
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  joinByInvitation,
} from "../../../src/access/members/invitations.ts";
import {
  endSession,
  endSessionBySecret,
  listSessions,
  resumeSession,
  userCaller,
} from "../../../src/access/sessions.ts";
import { type SignedIn, signInByLink, signInByPassword, signInByProxy } from "../../../src/access/sign-in.ts";
import {
  createLink,
  createUser,
  deleteUser,
  saveSettings,
  setPassword,
  setRole,
} from "../../../src/access/users.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { OPERATOR, type Outcome, ask, request } from "./asking.ts";
import type { Server, World } from "./world.ts";

/** Users of whom each step takes one, and the project of which they are members. */
const PEOPLE = ["ann", "ben", "cyd"];
export const ASIDE = "aside";

export const BROWSER = { agent: "Firefox", address: "192.0.2.1", network: "192.0.2.1" };

/** A session with its secret. */
type Entered = SignedIn & { secret: string };

/** What somebody signs in with that counts once, or no more: each kind is a step of the workload. */
export type People = {
  world: World;
  anyServer: () => Server;
  /** Does the same twice at once, at any two servers: of which one may succeed. */
  twice: <T>(what: string, work: (server: Server) => Promise<T>) => Promise<T | undefined>;
  /** Signs in by a link, and by a code where the user has an app. */
  enter: (name: string) => Promise<Entered | undefined>;
  /** Requires that a secret opens nothing any more. */
  mustBeOver: (what: string, secret: string) => Promise<void>;
  callerOf: (server: Server, entered: Entered) => ReturnType<typeof userCaller>;
};

export async function furnishPeople(world: World): Promise<void> {
  const { app } = world.servers[0]!;
  await createProject(app, OPERATOR, { slug: ASIDE, environments: ["develop", "staging"] });
  await createUser(app, OPERATOR, { name: "root", role: "admin" });
  for (const name of [...PEOPLE, "dan", "eli"]) await createUser(app, OPERATOR, { name, role: "viewer" });
}

/** The keys of authenticator apps, by user: those that may have been set up. */
type Apps = Map<string, { key: Uint8Array; codes: string[] }>;

/** Steps of people who sign in, in all ways, and of those who take that from them. */
export function peopleOf(world: World): { people: People; steps: (() => Promise<void>)[] } {
  const { chance } = world.scheduler;
  const apps: Apps = new Map();
  const anyServer = () => chance.pick(world.servers);
  let numbers = 0;

  const twice: People["twice"] = async (what, work) => {
    const both = [ask(world, anyServer(), work), ask(world, anyServer(), work)];
    const done = (await Promise.all(both)).filter(({ code }) => code === "ok");
    world.scheduler.note(`${what} ${done.length}`);
    if (done.length > 1) world.violated(`${what} counted twice`);
    return done[0]?.value;
  };
  const mustBeOver: People["mustBeOver"] = async (what, secret) => {
    const { code } = await ask(world, anyServer(), ({ app }) => resumeSession(app, secret));
    if (code === "ok") world.violated(`${what} opens a session that was ended`);
  };
  const callerOf: People["callerOf"] = ({ app }, entered) =>
    userCaller(app, entered, entered.secret, () => true);
  const codeOf = (name: string, at: number) => totpCode(apps.get(name)!.key, totpStep(at));

  const enter: People["enter"] = async (name) => {
    const link = await ask(world, anyServer(), ({ app }) => createLink(app, OPERATOR, name));
    if (!link.value) return undefined;
    const { secret } = link.value;
    const entrance = await twice(`a link of ${name}`, ({ app }) => signInByLink(app, secret, BROWSER));
    if (!entrance || !("begun" in entrance)) return entrance;
    const { begun } = entrance;
    await ask(world, anyServer(), ({ app }) => whoBegan(app, begun));
    if (!apps.has(name)) return undefined;
    const recovery = apps.get(name)!.codes.pop();
    const typed = recovery !== undefined && chance.once(3) ? recovery : codeOf(name, world.scheduler.now());
    return twice(`a code of ${name}`, ({ app }) => signInByCode(app, begun, typed, BROWSER));
  };
  const people: People = { world, anyServer, twice, enter, mustBeOver, callerOf };
  const ok = <T>({ code }: Outcome<T>) => code === "ok";

  return {
    people,
    steps: [
      async function passwords() {
        const name = chance.pick(PEOPLE);
        const [other, entered] = [await enter(name), await enter(name)];
        if (!other || !entered) return;
        const password = `long enough ${(numbers += 1)}`;
        const set = await ask(world, anyServer(), (server) =>
          setPassword(
            server.app,
            callerOf(server, entered),
            name,
            { current: null, next: password },
            entered.session.id,
          ),
        );
        if (!ok(set)) return;
        await mustBeOver("a password that was changed", other.secret);
        const wrong = await ask(world, anyServer(), ({ app }) =>
          signInByPassword(app, { name, password: "not this one at all" }, BROWSER),
        );
        if (ok(wrong)) world.violated(`${name} signed in with a wrong password`);
        await ask(world, anyServer(), ({ app }) => signInByPassword(app, { name, password }, BROWSER));
      },
      async function codes() {
        const name = chance.pick(PEOPLE);
        const [other, entered] = [await enter(name), await enter(name)];
        if (!entered) return;
        const self = { user: name, session: entered.session.id };
        const known = apps.get(name);
        if (known && chance.once(2)) {
          const removed = await ask(world, anyServer(), async (server) => {
            if (chance.once(2)) await resetFactors(server.app, OPERATOR, name);
            else await removeTotp(server.app, callerOf(server, entered), self);
          });
          if (ok(removed)) apps.delete(name);
          return;
        }
        if (known) {
          const renewed = await ask(world, anyServer(), (server) =>
            renewRecoveryCodes(server.app, callerOf(server, entered), self),
          );
          known.codes = renewed.value ?? [];
          return;
        }
        const key = totpKey(world.scheduler.chance.bytes);
        // Also where the answer is lost, the user may have it from now on.
        apps.set(name, { key, codes: [] });
        const set = await ask(world, anyServer(), (server) =>
          setUpTotp(server.app, callerOf(server, entered), self, {
            key,
            code: codeOf(name, server.app.now()),
          }),
        );
        if (set.value) apps.get(name)!.codes = set.value;
        else if (set.code !== "unknown") apps.delete(name);
        if (ok(set) && other) await mustBeOver("a second factor", other.secret);
      },
      async function invitations() {
        const made = await ask(world, anyServer(), ({ app }) =>
          createInvitation(app, OPERATOR, ASIDE, {
            role: chance.pick(["viewer", "editor", "releaser", "admin"] as const),
          }),
        );
        if (!made.value) return;
        const { secret } = made.value;
        await ask(world, anyServer(), ({ app }) => findInvitation(app, secret));
        if (chance.once(2)) {
          const name = `new-${(numbers += 1)}`;
          const first = { name, password: "long enough for all" };
          const joined = await twice("an invitation", ({ app }) => joinByInvitation(app, secret, first));
          if (joined && chance.once(2))
            await ask(world, anyServer(), ({ app }) => deleteUser(app, OPERATOR, name));
          return;
        }
        const entered = await enter(chance.pick(PEOPLE));
        if (entered)
          await twice("an invitation", (server) =>
            acceptInvitation(server.app, callerOf(server, entered), secret),
          );
      },
      async function logins() {
        const name = chance.pick(PEOPLE);
        const begun = await request(world, anyServer(), {
          method: "POST",
          path: "/device-authorization",
          body: { client: "laptop", ...(chance.once(2) && { expiresIn: "1d" }) },
          secret: "none",
        });
        const entered = begun.value && (await enter(name));
        if (!begun.value || !entered) return;
        const { user_code: typed, device_code: device } = begun.value as Record<string, string>;
        const answer = chance.once(4) ? "deny" : "allow";
        await ask(world, anyServer(), (server) => findLogin(server.app, callerOf(server, entered), typed!));
        await ask(world, anyServer(), (server) =>
          answerLogin(server.app, callerOf(server, entered), typed!, answer),
        );
        const poll = { method: "POST", path: "/device-token", body: { device_code: device }, secret: "none" };
        const polled = [request(world, anyServer(), poll), request(world, anyServer(), poll)];
        const [first, second] = (await Promise.all(polled)).filter(ok);
        if (second) world.violated("a login gave two sessions");
        if (answer === "deny" && first) world.violated("a login that was denied gave a session");
        const secret = first?.value?.["access_token"] as string | undefined;
        if (secret === undefined) return;
        await request(world, anyServer(), { method: "GET", path: "/me", secret });
        const end = await request(world, anyServer(), { method: "POST", path: "/logout", secret });
        if (ok(end) && ok(await request(world, anyServer(), { method: "GET", path: "/me", secret })))
          world.violated("a login opens what it opened before it was ended");
      },
      async function sessions() {
        const name = chance.pick([...PEOPLE, "proxied"]);
        const entered =
          name === "proxied"
            ? (
                await ask(world, anyServer(), ({ app }) =>
                  signInByProxy(app, name, BROWSER, { createAs: "viewer" }),
                )
              ).value
            : await enter(name);
        if (!entered) return;
        await ask(world, anyServer(), ({ app }) => resumeSession(app, entered.secret));
        await ask(world, anyServer(), (server) =>
          saveSettings(server.app, callerOf(server, entered), name, {
            timeZone: chance.pick([null, "Europe/Berlin"]),
            shortcuts: chance.once(2),
          }),
        );
        await ask(world, anyServer(), (server) => listSessions(server.app, callerOf(server, entered), name));
        const ended = await ask(world, anyServer(), (server) =>
          chance.once(2)
            ? endSession(server.app, callerOf(server, entered), entered.session.id)
            : endSessionBySecret(server.app, entered.secret, BROWSER.address),
        );
        if (ok(ended)) await mustBeOver("signing out", entered.secret);
      },
      async function roles() {
        const name = chance.pick(PEOPLE);
        await ask(world, anyServer(), ({ app }) => setRole(app, OPERATOR, name, "admin"));
        const entered = await enter(name);
        const role = chance.pick(["viewer", "none"] as const);
        const set = await ask(world, anyServer(), ({ app }) => setRole(app, OPERATOR, name, role));
        if (!ok(set) || !entered) return;
        // With the rights of before, which count no more once the change was answered.
        const created = await ask(world, anyServer(), (server) =>
          createUser(server.app, callerOf(server, entered), { name: `of-${name}`, role: "viewer" }),
        );
        if (ok(created)) world.violated(`${name} created a user as ${role}`);
      },
    ],
  };
}
