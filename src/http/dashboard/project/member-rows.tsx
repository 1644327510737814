import type { Invitation } from "../../../access/members/invitation.ts";
import type { Member, MemberRole } from "../../../access/members/member.ts";
import { ROLES, ROLE_WORDS, type Role } from "../../../access/role.ts";
import type { User } from "../../../access/user.ts";
import type { Project } from "../../../projects/project.ts";
import { roleOptions, userPath } from "../access/parts.tsx";
import { textOf } from "../fields.ts";
import type { PropsWithChildren } from "../markup.ts";
import { AskingButton } from "../parts/danger.tsx";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { Fold } from "../parts/fold.tsx";
import { A, Button, ButtonForm, Form } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { Time } from "../parts/time.tsx";
import { pathTo } from "../paths.ts";
import { useMay } from "../view.ts";
import { Change } from "./environments.tsx";
import { AddFold, MEMBERS, Section } from "./section.tsx";

export type ShownMembers = {
  members: readonly Member[];
  invitations: readonly Invitation[];
  /** The users with a role in every project; none for those who see no users. */
  users: readonly User[];
};

type Props = { project: Project };

export function MemberRows({
  project,
  members,
  invitations,
  users,
  typed,
}: Props & ShownMembers & { typed: Typed | undefined }) {
  const act = typed && textOf(typed.fields, "do");
  return (
    <Section id="members">
      {typed && (
        <Notice tone="bad">
          <p>{typed.faults["form"]}</p>
        </Notice>
      )}
      {users.map(({ name, role }) => (
        <Fold
          name={name}
          sentence={<RoleInWords project={project} role={role as Role} environments={null} isEverywhere />}
          act={<Change of={name} />}
        >
          <p>
            {name} has a role in every project. <A to={userPath(name)}>Change it under Access</A>
          </p>
        </Fold>
      ))}
      {members.map((member, index) => (
        <MemberFold project={project} member={member} index={index} />
      ))}
      {invitations.map((invitation) => (
        <InvitationFold project={project} invitation={invitation} />
      ))}
      <AddFold id="invite" act="Invite someone" isOpen={act === "invite"}>
        <RoleEditor
          project={project}
          values={{ do: "invite" }}
          id="invite"
          label="Invite someone"
          who="The invited person"
          act="Create an invitation"
        >
          <p class="soft">
            The link works once, for 7 days. Someone without an account chooses a name and a password, and
            sees this project alone.
          </p>
        </RoleEditor>
      </AddFold>
      <Add project={project} typed={act === "set" ? typed : undefined} />
    </Section>
  );
}

/** `works with forms and flags; changes flags in develop, staging; proposes in production`. */
function RoleInWords({
  project: { environments: all },
  role,
  environments,
  isEverywhere = false,
}: Props & MemberRole & { isEverywhere?: boolean }) {
  const its = all.filter(({ slug }) => environments?.includes(slug) ?? true);
  const proposes = its.filter(({ approvals }) => approvals > 0);
  const changes = its.filter(({ approvals, locked }) => approvals === 0 && (!locked || role !== "editor"));
  const named = (some: typeof all) => some.map(({ slug }) => slug).join(", ");
  const places = [
    changes.length === all.length ? "changes flags in all" : `changes flags in ${named(changes) || "none"}`,
    ...(proposes.length > 0 ? [`proposes in ${named(proposes)}`] : []),
  ];
  return (
    <>
      {isEverywhere ? `${ROLE_WORDS[role]}, in every project` : ROLE_WORDS[role]}
      {role !== "viewer" && role !== "inbox" && <span class="soft small">; {places.join("; ")}</span>}
    </>
  );
}

/** A role that people gave can be changed here; one of an identity provider changes there. */
function MemberFold({ project, member, index }: Props & { member: Member; index: number }) {
  const { user, role, environments, source } = member;
  const to = pathTo(MEMBERS, { project: project.slug });
  // A save would widen it to every environment.
  const mayChange = source !== "oidc" && environments?.length !== 0;
  return (
    <Fold
      id={`member-${user}-${source}`}
      name={user}
      sentence={
        <>
          <RoleInWords {...member} project={project} /> {source === "oidc" && <Badge>single sign-on</Badge>}
        </>
      }
      act={<Change of={user} />}
    >
      <div class="editor">
        {mayChange && (
          <RoleEditor
            project={project}
            values={{ do: "set", user }}
            id={`member-${index}`}
            label={`Role of ${user}`}
            who={user}
            act="Save"
            actLabel={`Save the role of ${user}`}
            given={{ role, environments }}
          />
        )}
        {source === "oidc" && <p>A group of the identity provider gives this role, and changes it.</p>}
        <AskingButton
          to={to}
          values={{ do: "remove", user }}
          kind="quiet"
          label={`Remove ${user}`}
          question={`${user} loses this project at once.`}
          confirm={`Remove ${user}`}
        >
          Remove…
        </AskingButton>
      </div>
    </Fold>
  );
}

function InvitationFold({ project, invitation }: Props & { invitation: Invitation }) {
  const { id, role, maker, expiresAt } = invitation;
  return (
    <Fold
      id={`invitation-${id}`}
      name={<span class="soft">invited</span>}
      sentence={
        <>
          <RoleInWords {...invitation} project={project} />
          <span class="soft small">
            ; by {maker.type === "operator" ? "operator" : maker.name}, ends <Time at={expiresAt} />
          </span>
        </>
      }
    >
      <ButtonForm
        to={pathTo(MEMBERS, { project: project.slug })}
        values={{ do: "uninvite", invitation: id }}
        kind="quiet"
        label={`End the invitation ${id} as ${role}`}
      >
        End
      </ButtonForm>
    </Fold>
  );
}

/** Users who exist are added by an administrator of everything: others learn of no user. */
function Add({ project, typed }: Props & { typed: Typed | undefined }) {
  if (!useMay("admin", {})) return null;
  return (
    <AddFold id="add-member" act="Add a user" isOpen={typed !== undefined}>
      <RoleEditor
        project={project}
        values={{ do: "set" }}
        id="add"
        label="Add a user"
        who="The user"
        act="Add the user"
      >
        <TextField {...typedAt(typed, "user")} label="Name" id="add-user" required />
      </RoleEditor>
    </AddFold>
  );
}

/** A role, with the environments that it is limited to. */
function RoleEditor({
  project: { slug, environments },
  values,
  id,
  label,
  who,
  act,
  actLabel,
  given = { role: "viewer", environments: null },
  children,
}: PropsWithChildren<
  Props & {
    values: Record<string, string>;
    id: string;
    label: string;
    who: string;
    act: string;
    actLabel?: string;
    given?: MemberRole;
  }
>) {
  return (
    <Form
      to={pathTo(MEMBERS, { project: slug })}
      values={values}
      class="editor"
      id={`${id}-form`}
      label={label}
    >
      {children}
      <SelectField
        name="role"
        label={actLabel ? label : "Role"}
        id={`${id}-role`}
        options={roleOptions(ROLES)}
        value={given.role}
      />
      <fieldset>
        <legend>{who} changes only the flags of</legend>
        <p class="soft small">
          For editors and releasers; none ticked is every environment. The rest they read.
        </p>
        {environments.map(({ slug }) => (
          <CheckField
            name="environment"
            id={`${id}-${slug}`}
            value={slug}
            label={slug}
            checked={given.environments?.includes(slug) ?? false}
          />
        ))}
      </fieldset>
      <p class="buttons">
        <Button label={actLabel}>{act}</Button>
      </p>
    </Form>
  );
}
