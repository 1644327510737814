import { isFresh, signInAgain } from "../../../access/factors/factor.ts";
import type { Identity } from "../../../access/oidc/identity-store.ts";
import { disconnectIdentity } from "../../../access/oidc/oidc-sign-in.ts";
import { MAX_SIGN_IN_BODY } from "../../limits.ts";
import type { DashboardOptions } from "../dashboard-env.ts";
import { chosenOf } from "../fields.ts";
import { Fold } from "../parts/fold.tsx";
import { Facts } from "../parts/card.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Foreign } from "../parts/text.tsx";
import type { Dashboard } from "../routes.ts";

type Oidc = NonNullable<DashboardOptions["oidc"]>;

/** The form on the page of an account that connects it with one at an OpenID provider, or ends that. */
export function identityRoutes({ app, cookies, post }: Dashboard, oidc: Oidc): void {
  post(
    "/me/identity",
    null,
    async (c, fields) => {
      const { session } = c.get("session")!.signedIn;
      const caller = c.get("caller");
      if (chosenOf({ connect: false, disconnect: true }, fields)) {
        await disconnectIdentity(app, caller);
        return { to: "/me", text: `Disconnected your account at ${oidc.rules.name}` };
      }
      // Else an open session that is found would become a way in for ever.
      if (session.method !== "proxy" && !isFresh(session, app.now())) throw signInAgain();
      const { awayPage, begin } = await import("./oidc.tsx");
      const url = await begin({ app, cookies }, oidc, c, { next: "/me", connects: session.id });
      return awayPage(`Connect with ${oidc.rules.name}`, url);
    },
    MAX_SIGN_IN_BODY,
  );
}

/** The account at a provider of the person who looks at the page. */
export function IdentityFold({ name, identity }: { name: string; identity: Identity | null }) {
  return (
    <Fold
      name={name}
      sentence={
        identity === null ? <span class="soft">not connected</span> : <Foreign text={identity.subject} />
      }
      act={identity === null ? "Connect" : "Change"}
    >
      {identity === null ? (
        <Form to="/me/identity" class="editor">
          <p>Sign in with your account at {name}, without a password here.</p>
          <div class="buttons">
            <Button name="do" value="connect">
              Connect
            </Button>
          </div>
        </Form>
      ) : (
        <div class="editor">
          <Facts
            facts={[
              ["Provider", <Foreign text={identity.issuer} />],
              ["Account", <Foreign text={identity.subject} />],
            ]}
          />
          <AskingButton
            to="/me/identity"
            values={{ do: "disconnect" }}
            label={`Disconnect your account at ${name}`}
            question={`You sign in by ${name} no more, until you connect it again. Is there another way in?`}
            confirm="Disconnect"
          >
            Disconnect…
          </AskingButton>
        </div>
      )}
    </Fold>
  );
}
