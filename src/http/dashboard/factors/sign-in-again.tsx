import { FACTOR_LIMITS } from "../../../access/limits.ts";
import { ButtonForm } from "../parts/link.tsx";

/** A button that leads over a new sign-in back to a page. */
export function SignInAgain({ to }: { to: string }) {
  return (
    <>
      <p>A change of second factors takes a sign-in of the last {FACTOR_LIMITS.freshMinutes} minutes.</p>
      <div class="buttons">
        <ButtonForm to="/sign-out" values={{ next: to }} kind="primary">
          Sign in again
        </ButtonForm>
      </div>
    </>
  );
}
