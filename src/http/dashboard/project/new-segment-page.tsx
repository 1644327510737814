import type { Project } from "../../../projects/project.ts";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, ButtonLink, Form } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { WhyField } from "../parts/why-field.tsx";
import { ChangedEnvironmentField } from "./filter-form.tsx";
import { projectPage } from "./project-page.tsx";
import { OtherForm, type RuleDraft, RuleFields } from "./segment-form.tsx";

export type NewSegment = {
  project: Project;
  environment: string;
  name: string;
  draft: RuleDraft;
  why?: string | null;
  fault?: string;
  nameFault?: string;
};

export function newSegmentPage({
  project,
  environment,
  name,
  draft,
  why,
  fault,
  nameFault,
}: NewSegment): Page {
  const { slug, environments } = project;
  const path = `${projectPath(slug)}/segments`;
  return projectPage({
    project: slug,
    tab: "segments",
    title: "Create a segment",
    heading: "Create a segment",
    back: { to: path, label: "Segments" },
    topics: [],
    commands: [
      {
        label: "Does the same",
        text: `formflag segments set ${quoted(name || "staff")} -p ${quoted(slug)} -e ${quoted(environment)} --rule @rule.json`,
      },
    ],
    content: (
      <Form to={`${path}/new`} class="stack narrow" id="segment">
        <ChangedEnvironmentField environments={environments} value={environment} />
        <TextField
          name="name"
          label="Name"
          hint='Rules refer to it as {"$ref": "name"}.'
          value={name}
          error={nameFault}
          maxlength={150}
          required
        />
        <RuleFields draft={draft} fault={fault} />
        <WhyField value={why} />
        <p class="buttons">
          <Button kind="primary">Create</Button>
          <ButtonLink to={path} query={{ environment }} kind="quiet">
            Back
          </ButtonLink>
          <OtherForm draft={draft} to={`${path}/new`} query={{ environment }} />
        </p>
      </Form>
    ),
  });
}
