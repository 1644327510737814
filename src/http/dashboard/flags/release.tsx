import { sentence } from "../../../base/shapes/words.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import {
  beginningOf,
  endingOf,
  labelOf,
  lastOf,
  RULES_FIRST,
  verbOf,
} from "../../../flags/release/release-words.ts";
import {
  controlOf,
  detailsOf,
  HOW,
  hasConditions,
  type Release,
  variantsToRelease,
  WHO,
} from "../../../flags/release/release.ts";
import { findStepsFault } from "../../../flags/release/steps.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Child } from "../markup.ts";
import type { Page } from "../page.tsx";
import { Danger } from "../parts/danger.tsx";
import { Form } from "../parts/link.tsx";
import { Seg } from "../parts/seg.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { settingAction, settingPath } from "../paths.ts";
import { useView } from "../view.ts";
import { Problem } from "./flag-facts.tsx";
import { Choice, Fault, HowPanels, WhoPanels } from "./release-fields.tsx";
import type { Screen } from "./screen.tsx";

const WHOS = Object.keys(WHO) as (keyof typeof WHO)[];
const HOWS = Object.keys(HOW) as (keyof typeof HOW)[];

/** Classes of elements that show for one way to release alone, written out: a test looks for the rule of each in the style. */
const ONLY = {
  now: { class: "if-now" },
  at: { class: "if-at" },
  while: { class: "if-while" },
  steps: { class: "if-steps" },
  test: { class: "if-test" },
} satisfies Record<keyof typeof HOW, object>;

/** The form that releases a flag: who gets it, how, what will happen, and one button. */
export function ReleaseCard({ screen, release }: { screen: Screen; release: Release }) {
  const { place, environment, record, typed } = screen;
  const faults = typed.release?.faults ?? {};
  const names = Object.keys(variantsToRelease(record).variants);
  return (
    <Form
      to={`${settingAction(place)}/release`}
      values={{ revision: record.revision }}
      class="card release"
      id="release-form"
      label={`Release in ${environment.slug}`}
      isChanged={typed.release !== undefined}
    >
      <button type="submit" name="act" value="check" class="unseen" tabindex={-1} aria-hidden="true">
        Check
      </button>
      <div class="title">
        <h2 id="release">Release</h2>
        <span class="soft small line">
          in <EnvironmentName environment={environment} />
        </span>
      </div>
      <Problem fault={faults[""]} />
      <fieldset>
        <legend>Who gets it</legend>
        <div class="set">
          <Seg name="who" value={release.who} options={Object.entries(WHO)} />
          {names.length > 2 && (
            <div class="panel">
              <Choice
                name="variant"
                label="Variant"
                value={release.variant}
                options={names.map((name) => [name, name])}
              />
            </div>
          )}
          <Fault of="variant" faults={faults} />
          <WhoPanels screen={screen} release={release} />
        </div>
      </fieldset>
      <fieldset>
        <legend>How</legend>
        <div class="set">
          <Seg name="how" value={release.how} options={Object.entries(HOW)} />
          <Fault of="how" faults={faults} />
          <HowPanels screen={screen} release={release} />
        </div>
      </fieldset>
      <Will screen={screen} release={release} />
    </Form>
  );
}

/** The sentence of a release, which follows the choices of who and how by style alone, and its button. */
function Will({ screen, release }: { screen: Screen; release: Release }) {
  const { environment, record, typed } = screen;
  const { now, timeZone } = useView();
  const saying = { now, timeZone };
  const control = controlOf(record, release.variant);
  const fault = findStepsFault(release);
  /** A text for each of who gets it, of which one shows. */
  const eachOf = (text: (who: Release["who"]) => string) =>
    WHOS.map((who) => (
      <span class={`if-${who}`}>
        <Foreign text={text(who)} />{" "}
      </span>
    ));
  const { slug, locked, approvals } = environment;
  return (
    <div class="will">
      <div data-part="will">
        <input type="hidden" name="details" value={detailsOf(release)} />
        {fault && <p class="error if-steps">{sentence(fault.message)}</p>}
        <p class={fault ? "not-steps" : ""}>
          {HOWS.map((how) => (
            <b {...ONLY[how]}>
              {how === "steps"
                ? eachOf((who) => beginningOf({ ...release, how, who }, saying))
                : `${beginningOf({ ...release, how }, saying)} `}
            </b>
          ))}
          {(["steps", "now"] as const).map((how) => (
            <b class={how === "steps" ? "if-steps" : "not-steps"}>
              {eachOf((who) => {
                const last = lastOf({ ...release, how, who });
                return `${last} ${verbOf(last)}`;
              })}
            </b>
          ))}
          <Foreign text={release.variant} />
          {HOWS.map((how) => (
            <span {...ONLY[how]}>
              <Foreign text={endingOf({ ...release, how }, control)} />
            </span>
          ))}
          <Kept screen={screen} />
        </p>
      </div>
      <div class="go">
        <input
          name="why"
          id="release-why"
          aria-label="Why"
          placeholder="Why? Kept in the history"
          value={typedAt(typed.release, "why").value}
          maxlength={500}
        />
        <button type="submit" class="button primary" name="act" value="release">
          <span data-part="act">
            {HOWS.map((how) => (
              <span {...ONLY[how]}>
                {labelOf({ ...release, how }, approvals > 0)} in {slug}
              </span>
            ))}
          </span>
        </button>
      </div>
      {(locked || approvals > 0) && (
        <p class="small soft">
          {approvals > 0
            ? `Changes of ${slug} need approvals: the next page shows the difference, and proposes it.`
            : `${slug} is locked: the next page shows the difference, and asks once.`}
        </p>
      )}
    </div>
  );
}

/** The conditions that come before a release, and stay. */
function Kept({ screen: { record } }: { screen: Screen }) {
  return hasConditions(record) ? <span class="keep"> {RULES_FIRST}</span> : null;
}

/** A release on the page that asks for it. */
export function ReleaseChange({ sentence, difference }: { sentence: string; difference: Child }) {
  return (
    <>
      <p class="lead">
        <Foreign text={sentence} />
      </p>
      {difference}
    </>
  );
}

/** The page that confirms numbers which the sentence of the form did not show. */
export function releaseCheckPage({
  place,
  fields,
  sentence,
  details,
  label,
}: {
  place: FlagPlace;
  fields: Fields;
  sentence: string;
  details: string;
  label: string;
}): Page {
  const { project, environment, flag } = place;
  const values = [...fields].filter(
    (field): field is [string, string] =>
      typeof field[1] === "string" && field[0] !== "details" && field[0] !== "why",
  );
  return {
    title: `Check the release of ${flag} in ${environment}, ${project}`,
    heading: `${label}?`,
    section: "flags",
    status: 428,
    back: { to: settingPath(place), label: flag },
    content: (
      <div class="stack narrow">
        <ReleaseChange sentence={sentence} difference={null} />
        <Danger
          to={`${settingAction(place)}/release`}
          values={[...values, ["details", details]]}
          id="confirmation"
          why={textOf(fields, "why")}
          whyId="confirm-why"
          kind="primary"
          act={label}
          back={{ to: settingPath(place) }}
        />
      </div>
    ),
  };
}
