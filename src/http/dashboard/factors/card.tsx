import type { Passkey } from "../../../access/factors/factor.ts";
import type { Session } from "../../../access/session.ts";
import type { User } from "../../../access/user.ts";
import { Card } from "../parts/card.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Badge } from "../parts/status.tsx";

/** The second factors of the person who is signed in. */
export function FactorsCard({
  user: { secondFactors },
  passkeys,
  current,
}: {
  user: User;
  passkeys: readonly Passkey[];
  current: Session;
}) {
  const hasTotp = secondFactors.includes("totp");
  return (
    <Card id="factors" title="Second factors">
      <p>Authenticator app: {hasTotp ? <Badge tone="good">set up</Badge> : <Badge>none</Badge>}</p>
      <p class="soft">
        {hasTotp
          ? "A sign-in by password or link asks for a code of your app, or one of your recovery codes."
          : "With an app on your phone, a password or a link alone no longer signs you in."}
      </p>
      <div class="buttons">
        <ButtonLink to="/me/totp">{hasTotp ? "Change…" : "Set up an authenticator app"}</ButtonLink>
      </div>
      <h3>Passkeys</h3>
      <p class="soft">A passkey signs you in without a password or a code.</p>
      <Passkeys passkeys={passkeys} current={current} />
    </Card>
  );
}
