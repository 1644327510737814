import type { User } from "../../../access/user.ts";
import { AskingButton, Danger } from "../parts/danger.tsx";
import { ButtonForm } from "../parts/link.tsx";
import { useView } from "../view.ts";

/** The path of the forms about a user. */
export const pathOf = ({ name }: User) => `/access/users/${encodeURIComponent(name)}`;

/** Buttons for one user of the list; `fault` is why it was not deleted. */
export function UserActions({ user, fault }: { user: User; fault: string | undefined }) {
  const { caller } = useView();
  return (
    <div class="actions">
      <ButtonForm
        to={pathOf(user)}
        values={{ do: "link" }}
        kind="quiet"
        icon="key"
        label={`Sign-in link for ${user.name}`}
      >
        Sign-in link
      </ButtonForm>
      {user.secondFactors.length > 0 && (
        <AskingButton
          to={pathOf(user)}
          values={{ do: "reset" }}
          kind="quiet"
          label={`Remove the second factors of ${user.name}`}
          question={`${user.name} is signed out everywhere, and signs in by password or link alone until another factor is set up.`}
          confirm={`Remove the second factors of ${user.name}`}
        >
          Reset factors…
        </AskingButton>
      )}
      {caller?.name !== user.name && (
        <details open={fault !== undefined}>
          <summary>
            Delete…<span class="unseen"> {user.name}</span>
          </summary>
          <Danger
            to={pathOf(user)}
            values={{ do: "delete" }}
            words={[{ name: "name", word: user.name, id: `delete-${user.name}`, fault }]}
            icon="trash"
            act={`Delete ${user.name}`}
          />
        </details>
      )}
    </div>
  );
}
