import { listInvitations } from "../../../access/members/invitations.ts";
import { listMembers } from "../../../access/members/members.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import { invitations } from "../../../operations/access/invitations.ts";
import { members } from "../../../operations/access/members.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, chosenOf, textOf, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { type Typed, submit, typedAt } from "../parts/submit.ts";
import { PROJECT, pathTo, projectPath } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import type { Invitation } from "../../../access/members/invitation.ts";
import { LIMITED_ROLES, type Member, type MemberRole } from "../../../access/members/member.ts";
import { ROLES, type Role } from "../../../access/role.ts";
import type { Project } from "../../../projects/project.ts";
import { QrCode, RoleForm, roleOptions } from "../access/parts.tsx";
import { Empty } from "../parts/card.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { Button, ButtonForm, Form } from "../parts/link.tsx";
import { List } from "../parts/list.tsx";
import { secretPage } from "../parts/secret.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useMay } from "../view.ts";
import { projectPage } from "./project-page.tsx";

const MEMBERS = `${PROJECT}/members` as const;

/** The members of a project, and invitations to it. */
export function memberRoutes({ app, get, post, perform }: Dashboard) {
  const show = async (c: DashboardContext, slug: string, typed: Typed | null = null) => {
    const [caller, query] = [c.get("caller"), { limit: MAX_PAGE }];
    const [project, members, invitations] = await Promise.all([
      getProject(app, slug),
      listMembers(app, caller, slug, query),
      listInvitations(app, caller, slug, query),
    ]);
    return membersPage({ project, members: members.items, invitations: invitations.items, typed });
  };

  get(MEMBERS, "admin", (c, { project }) => show(c, project));
  post(MEMBERS, "admin", (c, fields, { project }) => {
    const [user, to] = [textOf(fields, "user").trim(), pathTo(MEMBERS, { project })];
    const acts: Record<string, () => Promise<Done | Page>> = {
      async set() {
        const { role } = await perform(c, members.set, { names: { project, user }, body: roleIn(fields) });
        return { to, text: `${user} is ${role} in ${project}.` };
      },
      async remove() {
        await perform(c, members.remove, { names: { project, user } });
        return { to, text: `${user} is not a member of ${project} any more.` };
      },
      async invite() {
        const given = { names: { project }, body: roleIn(fields) };
        return invitedPage(project, await perform(c, invitations.create, given));
      },
      async uninvite() {
        const invitation = textOf(fields, "invitation");
        await perform(c, invitations.revoke, { names: { project, invitation } });
        return { to, text: "The invitation has ended." };
      },
    };
    return submit(chosenOf(acts, fields), (faults) => show(c, project, { fields, faults }), {
      role: "form",
      environments: "form",
      invalid: "form",
      conflict: "form",
      not_found: "form",
    });
  });
}

/** The role that a form names: it has a field for all environments, or for each of some. */
function roleIn(fields: Fields) {
  const environments = textsOf(fields, "environment");
  return { role: textOf(fields, "role"), environments: environments.length === 0 ? null : environments };
}

type Members = {
  project: Project;
  members: readonly Member[];
  invitations: readonly Invitation[];
  typed: Typed | null;
};

function membersPage({ project, members, invitations, typed }: Members): Page {
  const { slug } = project;
  const to = `${projectPath(slug)}/members`;
  return projectPage({
    project: slug,
    tab: "members",
    title: "Members",
    heading: "Members",
    commands: [
      ["Lists the same", "members list", { p: slug }],
      ["Invites someone", "members invite", { p: slug, role: "editor" }],
    ],
    content: (
      <>
        {typed && (
          <Notice tone="bad">
            <p>{typed.faults["form"]}</p>
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
          <Add to={to} project={project} typed={typedAt(typed, "do").value === "set" ? typed : null} />
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
  // A save would widen it to every environment.
  if (environments?.length === 0) return <>{role}</>;
  const roles = ROLES.filter((each) => environments === null || LIMITED_ROLES.includes(each));
  const limits = (environments ?? []).map((slug): [string, string] => ["environment", slug]);
  const values: [string, string][] = [["do", "set"], ["user", user], ...limits];
  return <RoleForm to={to} values={values} user={user} role={role} roles={roles} />;
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
function Add({ to, project, typed }: { to: string; project: Project; typed: Typed | null }) {
  if (!useMay("admin", {})) return null;
  return (
    <Form to={to} values={{ do: "set" }} class="card stack" id="add-member" label="Add a user">
      <h2>Add a user</h2>
      <TextField {...typedAt(typed, "user")} label="Name" id="add-user" required />
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
      <SelectField name="role" label="Role" id={`${id}-role`} options={roleOptions(ROLES)} value="viewer" />
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
function invitedPage(
  project: string,
  { role, expiresAt, url }: { role: Role; expiresAt: string; url: string },
): Page {
  return secretPage({
    title: `Invitation to ${project}`,
    section: "flags",
    back: { to: `${projectPath(project)}/members`, label: "Members" },
    commands: [["The same", "members invite", { p: project, role }]],
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
