import { type Role } from "../../../access/role.ts";
import { invitations } from "../../../operations/access/invitations.ts";
import { members } from "../../../operations/access/members.ts";
import { QrCode } from "../access/parts.tsx";
import { type Fields, chosenOf, textOf, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { secretPage } from "../parts/secret.tsx";
import { type Faults, submit } from "../parts/submit.ts";
import { Time } from "../parts/time.tsx";
import type { Dashboard, Done } from "../routes.ts";
import { addressOf } from "../view.ts";
import { MEMBERS, type ShowSettings, settingsPath } from "./section.tsx";

/** The members of a project, and invitations to it. */
export function memberRoutes({ get, post, perform, viewOf }: Dashboard, show: ShowSettings) {
  get(MEMBERS, "admin", async (c, { project }) =>
    c.redirect(addressOf(viewOf(c), `${settingsPath(project)}#members`), 303),
  );
  post(MEMBERS, "admin", (c, fields, { project }) => {
    const [user, to] = [textOf(fields, "user").trim(), settingsPath(project)];
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
    const again = (faults: Faults) => show(c, project, { at: "members", typed: { fields, faults } });
    return submit(chosenOf(acts, fields), again, {
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

/** Shows the link of an invitation, this one time. */
function invitedPage(
  project: string,
  { role, expiresAt, url }: { role: Role; expiresAt: string; url: string },
): Page {
  return secretPage({
    title: `Invitation to ${project}`,
    section: "flags",
    back: { to: settingsPath(project), label: "Settings" },
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
