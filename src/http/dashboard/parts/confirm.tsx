import type { Child, PropsWithChildren } from "../markup.ts";
import type { AppError } from "../../../base/errors.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Revision } from "../../../projects/history.ts";
import type { App } from "../../../app.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { type Fields, textOf, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { useMay, useMayChange, useView } from "../view.ts";
import { Danger } from "./danger.tsx";
import { EnvironmentName, Fault, Notice } from "./status.tsx";
import { Facts } from "./card.tsx";
import { Actor } from "./text.tsx";
import { ExactTime } from "./time.tsx";

/** Its children for those who may change flags in all of these environments; for others, why they may not. */
export function MayChange({
  environments,
  children,
}: PropsWithChildren<{ environments: readonly Environment[] }>) {
  if (useMayChange(environments)) return <>{children}</>;
  const locked = environments.filter((each) => each.locked).map(({ slug }) => slug);
  if (locked.length === 0 || !useMay("flags:write")) return null;
  return (
    <Notice>
      <p>Changing {locked.join(", ")}, which is locked, takes the role releaser or admin.</p>
    </Notice>
  );
}

/** Content of the page that confirms a change of a locked environment. */
export type Confirmation = {
  /** Window title: `Confirm: checkout in production, shop`. */
  title: string;
  /** Label of the button: `Turn on in production`. */
  label: string;
  /** Whether something is deleted. */
  isDeletion?: boolean;
  /** The environments that would change; the locked ones have to be typed. */
  environments: readonly Environment[];
  /** Description of the change, as `<Diff>` or as text. */
  change: Child;
  /** The change before this one, or null; left out if it says nothing. */
  last?: Revision | null;
  /** Reads a minute, if they are known. */
  rate?: number | null;
  /** The page that the form was on. */
  back: { to: string; label: string };
};

/** The names of fields that the page of a confirmation asks for itself. */
const OWN = new Set(["confirm", "why", "propose"]);

/** How long a change stays open that a page proposes. */
export const PROPOSED_FOR = "14d";

type Asked = { fields: Fields; confirmation: Confirmation; refusal: AppError };

/**
 * The page (428) that asks to confirm a change that was refused since an environment is locked, or to propose one that needs
 * approvals. It sends the same form once more.
 */
export function askingPage(asked: Asked): Page {
  const { title, label, back } = asked.confirmation;
  const isProposal = asked.refusal.code === "unapproved";
  return {
    title,
    heading: isProposal ? "Propose this change?" : `${label}?`,
    section: "flags",
    status: 428,
    back,
    content: isProposal ? <Propose {...asked} /> : <Confirm {...asked} />,
  };
}

function Propose({ fields, confirmation: { change, back }, refusal }: Asked) {
  return (
    <div class="stack narrow">
      <Notice>
        <p>{sentence(refusal.message)}</p>
      </Notice>
      {change}
      <Danger
        to={useView().path}
        values={[...valuesOf(fields), ["propose", PROPOSED_FOR]]}
        id="proposal"
        why={textOf(fields, "why")}
        whyId="propose-why"
        kind="primary"
        act="Propose for approval"
        back={{ to: back.to }}
      />
    </div>
  );
}

function Confirm({ fields, confirmation }: Asked) {
  const { label, isDeletion, environments, change, last, rate, back } = confirmation;
  const locked = environments.filter((each) => each.locked);
  const typed = textsOf(fields, "confirm");
  return (
    <div class="stack narrow">
      <p>
        {locked.map((environment, index) => (
          <>
            {index > 0 && ", "}
            <EnvironmentName environment={environment} />
          </>
        ))}
        {locked.length === 1 ? " is locked." : " are locked."}
      </p>
      {change}
      <Facts
        facts={[
          last !== undefined && [
            "Last changed",
            last === null ? (
              "Not changed yet"
            ) : (
              <>
                <Actor by={last} />, <ExactTime at={last.at} />
              </>
            ),
          ],
          rate != null && ["Reads", <strong>{formatRate(rate)}</strong>],
        ]}
      />
      <Danger
        to={useView().path}
        values={valuesOf(fields)}
        id="confirmation"
        why={textOf(fields, "why")}
        whyId="confirm-why"
        words={locked.map(({ slug }, index) => ({
          name: "confirm",
          word: slug,
          id: `confirm-${slug}`,
          autofocus: index === 0,
        }))}
        act={label}
        kind={isDeletion ? "danger primary" : "primary"}
        back={{ to: back.to }}
      >
        {typed.some((name) => name.trim() !== "") && (
          <Fault message="that is not the name of the environment. Nothing has changed" />
        )}
      </Danger>
    </div>
  );
}

/** Everything that the form sent, but what the confirmation asks for itself. */
function valuesOf(fields: Fields): [name: string, value: string][] {
  return [...fields].flatMap(([name, value]): [string, string][] =>
    OWN.has(name) || typeof value !== "string" ? [] : [[name, value]],
  );
}

/** The last change of a flag, a segment or an environment, in one environment or, with null, in any. */
export async function lastChange(
  app: Pick<App, "store">,
  project: string,
  { environment, ...query }: { kind: Revision["kind"]; name: string; environment: string | null },
): Promise<Revision | null> {
  const limits = { ...query, ...(environment === null ? {} : { environment }), limit: 1 };
  return (await app.store.changes.page(project, limits)).items[0] ?? null;
}

/** `about 12 times a minute`, `about 31 times an hour`. `rate` is reads a minute. */
export function formatRate(rate: number): string {
  if (rate === 0) return "not in the last hour";
  const [times, span] = rate < 1 ? [Math.round(rate * 60), "an hour"] : [Math.round(rate), "a minute"];
  if (times === 0) return "less than once an hour";
  return times === 1 ? `about once ${span}` : `about ${times.toLocaleString("en")} times ${span}`;
}
