import { USER_ROLES } from "../../../access/role.ts";
import type { User } from "../../../access/user.ts";
import { AskingButton, Danger } from "../parts/danger.tsx";
import { Button, ButtonForm, Form } from "../parts/link.tsx";
import { useView } from "../view.ts";
import { userPath } from "./parts.tsx";

/** The page on which the forms about a user are: the list of users, or that of the user. */
export type UserFormsOn = "users" | "user";

/** Changes the role of a user. */
export function RoleForm({ user, on }: { user: User; on: UserFormsOn }) {
  const id = `role-${user.name}`;
  return (
    <Form to={userPath(user.name)} values={{ do: "role", on }} class="actions together" id={`form-${id}`}>
      <label class="unseen" for={id}>{`Role of ${user.name}`}</label>
      <select id={id} name="role" class="short">
        {USER_ROLES.map((role) => (
          <option value={role} selected={role === user.role}>
            {role}
          </option>
        ))}
      </select>
      <Button kind="quiet" label={`Save the role of ${user.name}`}>
        Save
      </Button>
    </Form>
  );
}

/** Buttons for one user; `fault` is why it was not deleted. */
export function UserActions({ user, fault, on }: { user: User; fault: string | undefined; on: UserFormsOn }) {
  const { caller } = useView();
  const to = userPath(user.name);
  return (
    <div class="actions">
      <ButtonForm
        to={to}
        values={{ do: "link", on }}
        kind="quiet"
        icon="key"
        label={`Sign-in link for ${user.name}`}
      >
        Sign-in link
      </ButtonForm>
      {user.secondFactors.length > 0 && (
        <AskingButton
          to={to}
          values={{ do: "reset", on }}
          kind="quiet"
          label={`Remove the second factors of ${user.name}`}
          question={`${user.name} is signed out everywhere, and signs in by password or link alone until another factor is set up.`}
          confirm={`Remove the second factors of ${user.name}`}
        >
          Reset factors…
        </AskingButton>
      )}
      {caller?.name !== user.name && (
        <details class="asking" open={fault !== undefined}>
          <summary class="button quiet">
            Delete…<span class="unseen"> {user.name}</span>
          </summary>
          <Danger
            to={to}
            values={{ do: "delete", on }}
            words={[{ name: "name", word: user.name, id: `delete-${user.name}`, fault }]}
            icon="trash"
            act={`Delete ${user.name}`}
          />
        </details>
      )}
    </div>
  );
}
