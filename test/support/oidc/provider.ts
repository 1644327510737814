import { createServer } from "node:http";
import { afterAll } from "bun:test";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";
import { CLIENT_ID, CLIENT_SECRET } from "./client.ts";

type Person = { subject: string; claims?: Record<string, unknown> };

/** A provider as companies run it (oidc-provider of npm), on this machine, where somebody is signed in at once. */
export async function startProvider({ callback, backChannel }: { callback: string; backChannel: string }) {
  let person: Person = { subject: "nobody" };
  const people = new Map<string, Person>();
  const server = createServer((request, response) => {
    if (!request.url!.startsWith("/interaction/")) return handle(request, response);
    people.set(person.subject, person);
    void provider.interactionFinished(request, response, { login: { accountId: person.subject } });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [callback],
        backchannel_logout_uri: backChannel,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: "sig", alg: "RS256", kid: "one" }] },
    cookies: { keys: ["a key of the test"] },
    claims: {
      openid: ["sub"],
      profile: ["preferred_username", "name"],
      email: ["email"],
      groups: ["groups"],
    },
    scopes: ["openid", "profile", "email", "groups"],
    conformIdTokenClaims: true,
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_: unknown, subject: string) => ({
      accountId: subject,
      claims: async () => ({ sub: subject, ...people.get(subject)?.claims }),
    }),
    async loadExistingGrant({
      oidc,
    }: {
      oidc: { client: { clientId: string }; session: { accountId: string } };
    }) {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid profile email groups");
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  afterAll(() => void server.close());

  /** A browser at the provider, where a person signs in, or is signed in already. */
  function openBrowser() {
    const cookies = new Map<string, string>();
    const ask = async (url: string, init: Omit<RequestInit, "headers"> = {}): Promise<Response> => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await fetch(url, { ...init, headers: { cookie }, redirect: "manual" });
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        cookies.set(name!, value!);
      }
      return answer;
    };
    return {
      ask,
      /** Follows redirects until the provider sends the browser back, and returns that address. */
      async signIn(url: string, as: Person): Promise<string> {
        person = as;
        let next = url;
        for (let steps = 0; steps < 10 && !next.startsWith(callback); steps += 1) {
          const answer = await ask(next);
          const to = answer.headers.get("location");
          if (to === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
          next = new URL(to, issuer).href;
        }
        return next;
      },
      /** Signs out at the address of the provider, which then tells its clients. */
      async signOut(url: string): Promise<void> {
        const page = await (await ask(url)).text();
        const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)![1]!;
        const answer = await ask(`${issuer}/session/end/confirm`, {
          method: "POST",
          body: new URLSearchParams({ xsrf, logout: "yes" }),
        });
        if (answer.status !== 303) throw new Error(`the provider answered ${answer.status}`);
      },
    };
  }
  return {
    issuer,
    openBrowser,
    /** The person who signs in next in a browser of the test. */
    setPerson: (wanted: Person) => void (person = wanted),
  };
}
