import type { AppError } from "../../../base/errors.ts";
import { definitionOf, segmentState } from "../../../flags/segment.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { Diff } from "../parts/diff.tsx";
import { Fold, Menu } from "../parts/fold.tsx";
import { Icon } from "../parts/icon.tsx";
import { A, Button, ButtonLink, Form } from "../parts/link.tsx";
import { EnvTabs } from "../parts/seg.tsx";
import { TextField, WhyField } from "../parts/field.tsx";
import { ChangedEnvironmentField } from "../parts/list.tsx";
import { Plan } from "../parts/plan.tsx";
import { NEW_SEGMENT, SEGMENTS, pathTo, segmentPath, projectPath } from "../paths.ts";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useMayChange } from "../view.ts";
import { projectPage } from "../project/project-page.tsx";
import { OtherForm, type RuleDraft, RuleFields } from "./segment-form.tsx";
import { Card } from "../parts/card.tsx";
import { MembersCard, type ShownMembers } from "./segments.tsx";
import { type FoundSegment, Uses, Who } from "./segments.tsx";

const RULE = { if: "email ends_with @example.com" };

/** Maximum number of uses on a segment's page. */
const SHOWN_USES = 100;

export type OneSegment = FoundSegment & {
  draft: RuleDraft;
  why?: string | null;
  fault?: string;
  /** The revision that the form began with, if another is stored. */
  revision?: number | undefined;
  /** Typed rule, after an edit conflict. */
  theirs?: unknown;
  isTyped?: boolean;
  /** Whether the fields of its rule are open. */
  isEdited?: boolean;
  /** The members of one that a form fills. */
  members?: ShownMembers | undefined;
};

export function segmentPage(segment: OneSegment): Page {
  const { project, environment, places, record, uses, isTyped } = segment;
  const { slug } = project;
  const { name } = record;
  const place = { p: slug, e: environment.slug };
  return projectPage({
    project: slug,
    tab: "segments",
    title: `Segment ${name} in ${environment.slug}`,
    heading: name,
    back: { to: pathTo(SEGMENTS, { project: slug }), label: "Segments" },
    actions: <More environment={environment} to={`${segmentPath(slug, environment.slug, name)}/delete`} />,
    ...(isTyped && { topics: [] }),
    commands: [
      ["Shows it", "segments get", name, place],
      ["Gives it another rule", "segments set", name, place, RULE],
    ],
    content: (
      <div class="stack">
        {places.length > 1 && (
          <EnvTabs
            tabs={places.map((each) => ({
              to: segmentPath(slug, each.slug, name),
              environment: each,
              isCurrent: each.slug === environment.slug,
            }))}
          />
        )}
        <div class="card flush rows">
          <SegmentRule segment={segment} />
        </div>
        <p class="soft small">
          In <EnvironmentName environment={environment} />, changed <Time at={record.updatedAt} />.{" "}
          <A
            to={`${projectPath(slug)}/history`}
            query={{ kind: "segment", name, environment: environment.slug }}
          >
            History
          </A>
        </p>
        {segment.members && <MembersCard segment={segment} members={segment.members} />}
        <Card id="uses" title="Used by">
          <Uses project={slug} uses={uses} most={SHOWN_USES} />
        </Card>
      </div>
    ),
  });
}

function More({ environment, to }: { environment: Environment; to: string }) {
  if (!useMayChange([environment])) return null;
  return (
    <Menu>
      <li>
        <A to={to}>
          <Icon name="trash" />
          Delete…
        </A>
      </li>
    </Menu>
  );
}

/** The readers who belong to it, and behind "Change" the fields of its rule; for those who may only read, its JSON. */
function SegmentRule({ segment }: { segment: OneSegment }) {
  const { project, environment, record, isTyped = false, isEdited = false, fault } = segment;
  const mayChange = useMayChange([environment]);
  const sentence = <Who record={record} project={project.slug} />;
  return (
    <Fold
      name="Who"
      sentence={sentence}
      act={mayChange ? "Change" : "As JSON"}
      isOpen={isTyped || isEdited || fault !== undefined}
      id="who"
    >
      {mayChange ? (
        <SegmentForm segment={segment} />
      ) : (
        <pre tabindex={0}>{JSON.stringify(definitionOf(record, project.slug), null, 2)}</pre>
      )}
    </Fold>
  );
}

function SegmentForm({ segment }: { segment: OneSegment }) {
  const { project, environment, record, draft, why, fault, theirs, revision = record.revision } = segment;
  const to = segmentPath(project.slug, environment.slug, record.name);
  return (
    <Form to={to} values={{ revision }} class="stack" id="segment" label={`Rule of ${record.name}`}>
      {theirs !== undefined && (
        <Notice tone="bad" title="Changed by another user">
          <p>
            The segment has changed since this page was loaded. Nothing was saved. Lines with − are what it is
            now, lines with + what you typed.
          </p>
          <Diff before={segmentState(definitionOf(record, project.slug))} after={theirs} />
        </Notice>
      )}
      <RuleFields draft={draft} fault={fault} />
      <WhyField value={why} />
      <p class="buttons">
        <Button kind="primary">{theirs ? "Save mine" : "Save"}</Button>
        <OtherForm draft={draft} to={to} />
      </p>
    </Form>
  );
}

export function deletePage({ project, environment, record, uses }: FoundSegment, error?: AppError): Page {
  const { slug } = project;
  const { name, revision } = record;
  const to = segmentPath(slug, environment.slug, name);
  return projectPage({
    project: slug,
    tab: "segments",
    title: `Delete the segment ${name} in ${environment.slug}`,
    heading: `Delete ${name}`,
    back: { to, label: name },
    commands: [["Does the same", "segments delete", name, { p: slug, e: environment.slug }]],
    content: (
      <div class="stack narrow">
        {error && uses.length === 0 && (
          <Notice tone="bad" title="Nothing was deleted">
            <p>{sentence(error.message)}</p>
          </Notice>
        )}
        {uses.length > 0 ? (
          <>
            <Notice tone={error ? "bad" : "warn"} title="It is still used">
              <p>Give these another rule first, or cancel what is scheduled:</p>
            </Notice>
            <Uses project={slug} uses={uses} most={SHOWN_USES} />
          </>
        ) : (
          <Plan
            environments={[environment]}
            to={`${to}/delete`}
            values={{ revision }}
            class="stack"
            id="delete"
            why={null}
            kind="danger primary"
            icon="trash"
            act={`Delete ${name} in ${environment.slug}`}
            back={{ to, label: "Keep it" }}
          >
            <p>
              Nothing in <EnvironmentName environment={environment} /> refers to it.
            </p>
          </Plan>
        )}
      </div>
    ),
  });
}

/** A new segment as it was typed. */
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
  const path = pathTo(SEGMENTS, { project: slug });
  const to = pathTo(NEW_SEGMENT, { project: slug });
  return projectPage({
    project: slug,
    tab: "segments",
    title: "Create a segment",
    heading: "Create a segment",
    back: { to: path, label: "Segments" },
    topics: [],
    commands: [["Does the same", "segments set", name || "staff", { p: slug, e: environment }, RULE]],
    content: (
      <Form to={to} class="stack narrow" id="segment">
        <ChangedEnvironmentField environments={environments} value={environment} />
        <TextField
          name="name"
          label="Name"
          hint="Conditions name it, such as: segment staff"
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
          <OtherForm draft={draft} to={to} query={{ environment }} />
        </p>
      </Form>
    ),
  });
}
