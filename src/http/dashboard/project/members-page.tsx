import type { Invitation } from "../../../access/members/invitation.ts";
import { LIMITED_ROLES, type Member, type MemberRole } from "../../../access/members/member.ts";
import { ROLES, type Role } from "../../../access/role.ts";
import type { Project } from "../../../projects/project.ts";
import { QrCode } from "../access/parts.tsx";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { formflag } from "../parts/commands.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { Button, ButtonForm, Form } from "../parts/link.tsx";
import { List } from "../parts/list.tsx";
import { secretPage } from "../parts/secret.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { projectPath } from "../paths.ts";
import { useMay } from "../view.ts";
import { projectPage } from "./project-page.tsx";

/** A refused action: its name, the user as typed, and the fault. */
export type Typed = { user: string; act: string; fault: string };

type Members = {
  project: Project;
  members: readonly Member[];
  invitations: readonly Invitation[];
  typed: Typed | undefined;
};

/** Description of each role in a project. */
const ROLE_TEXTS: Record<Role, string> = {
  viewer: "viewer: reads everything in it",
  inbox: "inbox: works with its forms and submissions",
  editor: "editor: also changes flags",
  releaser: "releaser: also changes flags in locked environments",
  admin: "admin: everything in it, also members and tokens",
};

const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: ROLE_TEXTS[role] }));

export function membersPage({ project, members, invitations, typed }: Members): Page {
  const { slug } = project;
  const to = `${projectPath(slug)}/members`;
  return projectPage({
    project: slug,
    tab: "members",
    title: "Members",
    heading: "Members",
    commands: [
      { label: "Lists the same", text: formflag("members list", { p: slug }) },
      { label: "Invites someone", text: formflag("members invite", { p: slug, role: "editor" }) },
    ],
    content: (
      <>
        {typed && (
          <Notice tone="bad">
            <p>{typed.fault}</p>
          </Notice>
        )}
        <List
          caption="Members"
          rows={members}
          keyOf={({ user, source }) => `member-${user}-${source}`}
          empty={
            <Empty title="There are no members yet">
              <p>
                A member has a role in this project alone. Users with a role in every project are not listed
                here.
              </p>
            </Empty>
          }
          columns={[
            { label: "User", heading: true, cell: ({ user }: Member) => user },
            { label: "Role", cell: (member: Member) => <RoleOf member={member} to={to} /> },
            { label: "Environments", cell: (member: Member) => placesOf(member) },
            {
              label: "Actions",
              isLabelUnseen: true,
              cell: ({ user }: Member) => <Removal to={to} user={user} />,
            },
          ]}
        />
        <Invitations to={to} invitations={invitations} />
        <div class="columns">
          <Invite to={to} project={project} />
          <Add to={to} project={project} typed={typed?.act === "set" ? typed.user : ""} />
        </div>
      </>
    ),
  });
}

/** The environments whose flags a role may change. */
function placesOf({ environments }: MemberRole): string {
  if (environments === null) return "all";
  return environments.length === 0 ? "none" : environments.join(", ");
}

/** A role that people gave can be changed here; one of an identity provider changes there. */
function RoleOf({ member: { user, role, environments, source }, to }: { member: Member; to: string }) {
  if (source === "oidc")
    return (
      <>
        {role} <Badge>single sign-on</Badge>
      </>
    );
  const id = `role-${user}`;
  return (
    <Form to={to} values={{ do: "set", user }} class="actions together" id={`form-${id}`}>
      {environments?.map((slug) => (
        <input type="hidden" name="environment" value={slug} />
      ))}
      <label class="unseen" for={id}>{`Role of ${user}`}</label>
      <select id={id} name="role" class="short">
        {ROLES.filter((each) => environments === null || LIMITED_ROLES.includes(each)).map((each) => (
          <option value={each} selected={each === role}>
            {each}
          </option>
        ))}
      </select>
      <Button kind="quiet" label={`Save the role of ${user}`}>
        Save
      </Button>
    </Form>
  );
}

function Removal({ to, user }: { to: string; user: string }) {
  return (
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
  );
}

function Invitations({ to, invitations }: { to: string; invitations: readonly Invitation[] }) {
  if (invitations.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <List
        caption="Invitations"
        rows={invitations}
        keyOf={({ id }) => `invitation-${id}`}
        empty={null}
        columns={[
          { label: "Role", heading: true, cell: ({ role }: Invitation) => role },
          { label: "Environments", cell: (invitation: Invitation) => placesOf(invitation) },
          {
            label: "By",
            cell: ({ maker }: Invitation) => (maker.type === "operator" ? "operator" : maker.name),
          },
          { label: "Ends", cell: ({ expiresAt }: Invitation) => <Time at={expiresAt} /> },
          {
            label: "Actions",
            isLabelUnseen: true,
            cell: ({ id, role }: Invitation) => (
              <ButtonForm
                to={to}
                values={{ do: "uninvite", invitation: id }}
                kind="quiet"
                label={`End the invitation ${id} as ${role}`}
              >
                End
              </ButtonForm>
            ),
          },
        ]}
      />
    </section>
  );
}

function Invite({ to, project }: { to: string; project: Project }) {
  return (
    <Form to={to} values={{ do: "invite" }} class="card stack" id="invite" label="Invite someone">
      <h2>Invite someone</h2>
      <p class="soft">
        The link works once, for 7 days. Someone without an account chooses a name and a password, and sees
        this project alone.
      </p>
      <RoleFields id="invite" who="Whoever joins" project={project} />
      <div class="buttons">
        <Button kind="primary" icon="key">
          Create an invitation
        </Button>
      </div>
    </Form>
  );
}

/** Users who exist are added by an administrator of everything: others learn of no user. */
function Add({ to, project, typed }: { to: string; project: Project; typed: string }) {
  if (!useMay("admin", {})) return null;
  return (
    <Form to={to} values={{ do: "set" }} class="card stack" id="add-member" label="Add a user">
      <h2>Add a user</h2>
      <TextField name="user" label="Name" id="add-user" value={typed} required />
      <RoleFields id="add" who="The user" project={project} />
      <div class="buttons">
        <Button kind="primary" icon="plus">
          Add the user
        </Button>
      </div>
    </Form>
  );
}

function RoleFields({ id, who, project: { environments } }: { id: string; who: string; project: Project }) {
  return (
    <>
      <SelectField name="role" label="Role" id={`${id}-role`} options={ROLE_OPTIONS} value="viewer" />
      <fieldset>
        <legend>{who} changes only the flags of</legend>
        <p class="soft small">
          For editors and releasers; none ticked is every environment. The rest they read.
        </p>
        {environments.map(({ slug }) => (
          <CheckField name="environment" id={`${id}-${slug}`} value={slug} label={slug} />
        ))}
      </fieldset>
    </>
  );
}

/** Shows the link of an invitation, this one time. */
export function invitedPage(
  project: string,
  { role, expiresAt, url }: { role: Role; expiresAt: string; url: string },
): Page {
  return secretPage({
    title: `Invitation to ${project}`,
    section: "flags",
    back: { to: `${projectPath(project)}/members`, label: "Members" },
    commands: [{ label: "The same", text: formflag("members invite", { p: project, role }) }],
    id: "link",
    secret: url,
    about: (
      <p>
        This link ends <Time at={Date.parse(expiresAt)} /> and makes one person {role} in {project}. It is
        shown this one time.
      </p>
    ),
    shown: <QrCode text={url} label={`QR code of the invitation to ${project}`} />,
  });
}
