import { ANN } from "../../../support/records/apply.ts";
import { codeOf, grantOf, issue } from "../../../support/records/grants.ts";
import { NOW } from "../../../support/records/records.ts";
import { HASH } from "../shop.ts";
import type { Call, Own } from "./call.ts";
import { until } from "./submissions.ts";

const ofEve = ({ session, ...start }: Own["session"]) => ({ ...start, session: { ...session, user: "eve" } });

const begunAs = (hash: string) => ({ hash, expiresAt: NOW + 1000 });

/** Tokens that are the same whenever the call is made. */
const issuedTo = ({ hash }: Own) => issue({ access: hash, family: hash, refresh: hash });

export const PEOPLE = {
  "sign in": ({ sessions }, _, { session }) => sessions.insert({ ...session, most: 2 }, null),
  "sign in by password": ({ sessions }, _, { session }) => sessions.insert(session, "old"),
  "sign in by link": ({ sessions }, _, { session, hash }) =>
    sessions.spendLink(HASH, NOW, session, begunAs(hash)),
  "make a link": ({ sessions }, _, { hash }) =>
    sessions.insertLink({ user: "ann", hash, expiresAt: NOW + 1 }, ANN),
  "use a session": ({ sessions }, { session }) => sessions.markSeen(session.hash, NOW + 5),
  "sign out": ({ sessions }, { session }) => sessions.delete(session.session.id, ANN),
  "spend a code": ({ factors }, { factors: { key, begun } }, { session }) =>
    factors.spendCode(begun, { key, step: 6 }, ofEve(session), { most: 5, failures: 9, waitSeconds: 1 }),
  "spend a recovery code": ({ factors }, { factors: { begun } }, { session }) =>
    factors.spendCode(begun, { recovery: HASH }, ofEve(session), { most: 5, failures: 9, waitSeconds: 1 }),
  "spend a wrong code": ({ factors }, { factors: { begun } }, { session }) =>
    factors.spendCode(begun, null, ofEve(session), { most: 2, failures: 9, waitSeconds: 1 }),
  "use a passkey": ({ factors }, { factors: { passkey } }, { session }) =>
    factors.usePasskey({ id: passkey.id, counter: 2, challenge: until }, ofEve(session)),
  "clear sessions": ({ sessions }) =>
    sessions.clearEnded({ seenBefore: NOW + 1, createdBefore: NOW + 1, now: NOW + 2000 }, 10),
  "sign in by password and a code": ({ sessions }, _, { session, hash }) =>
    sessions.begin(ofEve(session), "old", begunAs(hash)),
  "sign out by hash": ({ sessions }, { session }) =>
    sessions.deleteByHash(session.hash, { at: NOW, address: "192.0.2.1" }),
  "log out at a provider": ({ identities }, { identity }) =>
    identities.logOut({ token: until, sid: null, identity }, ANN),
  "begin a login": ({ deviceLogins }, { login }, { hash }) =>
    deviceLogins.insert({ login, hash, code: hash }, 3),
  "approve a login": ({ deviceLogins }, { logins }) =>
    deviceLogins.answer(logins.waiting, { user: "ann", session: null }, NOW),
  "deny a login": ({ deviceLogins }, { logins }) => deviceLogins.answer(logins.waiting, null, NOW),
  "poll a login": ({ deviceLogins }, { logins }, { session }) =>
    deviceLogins.poll(logins.waiting, NOW, session),
  "poll an approved login": ({ deviceLogins }, { logins }, { session }) =>
    deviceLogins.poll(logins.approved, NOW, session),
  "allow an assistant": ({ grants }, _, { hash }) =>
    grants.insert({ ...grantOf("ann", { id: hash }), hash }, 2),
  "exchange a code": ({ grants: store }, { grants: { waiting } }, own) =>
    store.start(codeOf(waiting), issuedTo(own), { at: NOW }),
  "exchange a code again": ({ grants: store }, { grants: { started } }, own) =>
    store.start(codeOf(started), issuedTo(own), { at: NOW }),
  "refresh tokens": ({ grants: store }, { grants: { started, tokens } }, own) => {
    const { family, refresh } = tokens;
    const presented = { family, refresh, client: started.grant.client, resource: null };
    return store.refresh(presented, { ...issuedTo(own), family }, { at: NOW });
  },
  "use a grant": ({ grants: store }, { grants }) => store.markUsed(grants.tokens.access, NOW + 5),
  "end a grant": ({ grants: store }, { grants }) => store.delete(grants.started.grant.id, ANN),
  "end a grant by its token": ({ grants: store }, { grants: { started, tokens } }) =>
    store.deleteBySecret(tokens.access, started.grant.client, { at: NOW }),
  "clear invitations": ({ invitations }) => invitations.clearExpired(NOW + 2000, 10),
  audit: ({ audit }, _, { name }) =>
    audit.append([
      {
        at: NOW,
        who: name,
        type: "user",
        action: "session.fail",
        project: null,
        object: null,
        details: {},
        address: null,
      },
    ]),
  "prune the audit log": ({ audit }) => audit.prune(NOW + 1, 10),
  "keep a secret": ({ secrets }, _, { name }) => secrets.keep("instance", name),
  tally: ({ tallies }) =>
    tallies.add(
      ["b", "a"].map((what) => ({ kind: "reads" as const, hour: 5, what, variant: "one", count: 1 })),
    ),
  "clear tallies": ({ tallies }) => tallies.clear("reads", 6, 10),
} satisfies Record<string, Call>;
