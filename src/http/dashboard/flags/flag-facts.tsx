import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { DAY_MS } from "../../../base/days.ts";
import { type FlagRecord, type FlagStatus, hasExpired } from "../../../flags/flag.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import { DEFAULT_STALE_DAYS } from "../../../flags/stale.ts";
import { readRates } from "../../../maintenance/stats.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { formatRate } from "../parts/confirm.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Badge, EnvironmentName, OnOff } from "../parts/status.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { COMPARE, pathTo, settingPath } from "../paths.ts";
import { useMayChange, useView } from "../view.ts";
import { hasRule } from "../../../flags/rules/rule-rows.ts";
import { OWN_RULE, ruleClauses } from "../../../flags/rules/rule-words.ts";

/** Characters of a payload that an overview shows. */
const SHOWN = 600;

/** Whether a flag is on for its readers, and why not if it is not. */
export function FlagState({ record }: { record: FlagRecord }) {
  const isExpired = hasExpired(record, useView().now);
  return (
    <>
      <OnOff on={record.enabled && !isExpired} />
      {isExpired && <Badge tone="warn">expired</Badge>}
      {record.isPreview && <Badge tone="info">preview</Badge>}
    </>
  );
}

/** The payload of a plain flag, or the variants of another with the one that is served by default. */
export function FlagValue({ record }: { record: FlagRecord }) {
  const { rules, payload } = record;
  if (rules === null) return payload === null ? <span class="soft">none</span> : <Payload text={payload} />;
  const { variants, defaultVariant } = parseRules(rules);
  return (
    <ul>
      {Object.entries(variants).map(([name, value]) => (
        <li>
          <Foreign text={name} /> {name === defaultVariant && <Badge>default</Badge>}
          <VariantValue text={JSON.stringify(value)} />
        </li>
      ))}
    </ul>
  );
}

/** The value of a variant on one line, given as JSON text; the start of a long one. */
function VariantValue({ text }: { text: string }) {
  return <code class="cut">{visible(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)}</code>;
}

/** A payload, given as JSON text. */
export function Payload({ text }: { text: string }) {
  return <Code text={JSON.stringify(JSON.parse(text), null, 2)} />;
}

/** A text of a machine, cut if it is long. */
export function Code({ text }: { text: string }) {
  return (
    <code class="value">
      {visible(text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… ${text.length} characters` : text)}
    </code>
  );
}

/** The rule of a flag in words, a line a clause, with its JSON behind it. */
export function RuleWords({ record }: { record: FlagRecord }) {
  const rules = record.rules === null ? null : parseRules(record.rules);
  if (rules === null) return <span class="soft">none</span>;
  return (
    <>
      <ol>
        {(ruleClauses(rules) ?? [OWN_RULE]).map((line) => (
          <li>
            <Foreign text={line} />
          </li>
        ))}
      </ol>
      {hasRule(rules.targeting) && (
        <details>
          <summary class="small">As JSON</summary>
          <Code text={JSON.stringify(rules.targeting, null, 2)} />
        </details>
      )}
    </>
  );
}

export function Expiry({ record: { expiresAt } }: { record: FlagRecord }) {
  if (expiresAt === null) return <span class="soft">never</span>;
  return (
    <>
      <ExactTime at={expiresAt} />
      {" ("}
      <Time at={expiresAt} />)
    </>
  );
}

/** When a flag was last read, which is known to the hour. */
export function LastRead({ at }: { at: number | null }) {
  return at === null ? <span class="soft">never</span> : <Time at={at} />;
}

/** Whether applications have read a flag lately enough to miss it. */
export function isRead({ readAt }: { readAt: number | null }, now: number): boolean {
  return readAt !== null && now - readAt < DEFAULT_STALE_DAYS * DAY_MS;
}

/** The environments in which applications read a flag, with when and how often. */
export function Readers({
  readers,
}: {
  readers: readonly { environment: Environment; readAt: number | null; rate: number }[];
}) {
  return (
    <ul>
      {readers.map(({ environment, readAt, rate }) => (
        <li>
          <EnvironmentName environment={environment} />: <LastRead at={readAt} />
          {rate > 0 && `, ${formatRate(rate)}`}
        </li>
      ))}
    </ul>
  );
}

/** Returns how often a flag is read in a minute, whether by itself or with all others. */
export type RateOf = (environment: string, flag: string) => number;

/** The reads a minute of the flags from one slug to another, estimated from the last hour. */
export async function ratesOf(
  app: App,
  caller: Caller,
  { project, environments }: { project: string; environments: readonly { slug: string; key: string }[] },
  first: string,
  last = first,
): Promise<RateOf> {
  const ratesIn = async ({ slug: environment, key }: (typeof environments)[number]) => {
    const place = { project, environment, key };
    return [environment, await readRates(app, caller, place, { first, last })] as const;
  };
  const rates = new Map(await Promise.all(environments.map(ratesIn)));
  return (environment, flag) => {
    const known = rates.get(environment);
    return known ? ((known.flags.get(flag) ?? 0) + known.all) / 60 : 0;
  };
}

type State = Pick<FlagStatus, "enabled" | "expiresAt" | "share">;

/** `off`, `25 %` or `on` for a flag of other variants. */
function stateInWords(status: State | undefined, now: number): string {
  if (!status?.enabled || hasExpired(status, now)) return "off";
  return status.share === null ? "on" : `${status.share} %`;
}

/** A flag in every environment of its project, in their order, each a link. */
export function EnvironmentStrip({
  project,
  flag,
  statuses,
  current = null,
}: {
  project: Project;
  flag: string;
  statuses: readonly FlagStatus[];
  current?: string | null;
}) {
  const { now } = useView();
  const { environments } = project;
  return (
    <div class="strip">
      <nav class="tabs" aria-label="Environments">
        {environments.map((each) => (
          <A
            to={settingPath({ project: project.slug, environment: each.slug, flag })}
            current={each.slug === current ? "page" : undefined}
          >
            <EnvironmentName environment={each} />{" "}
            <span class="small">
              {stateInWords(
                statuses.find(({ environment }) => environment === each.slug),
                now,
              )}
            </span>
          </A>
        ))}
      </nav>
      {environments.length > 1 && <Copy project={project} flag={flag} current={current} />}
    </div>
  );
}

/** Leads to what a copy of the flag to the next environment would change: of the current one, or into the last. */
function Copy({ project, flag, current }: { project: Project; flag: string; current: string | null }) {
  const { slug, environments } = project;
  const at = environments.findIndex((each) => each.slug === current);
  const last = environments.length - 1;
  const to = at < 0 ? last : Math.min(at + 1, last);
  const [source, target] = [environments[to - 1], environments[to]] as [Environment, Environment];
  if (!useMayChange([target])) return null;
  return (
    <ButtonLink to={pathTo(COMPARE, { project: slug })} query={{ from: source.slug, to: target.slug, flag }}>
      Copy {source.slug} to {target.slug}…
    </ButtonLink>
  );
}
