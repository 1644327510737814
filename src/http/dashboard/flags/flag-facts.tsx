import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { hasExpired, type FlagRecord } from "../../../flags/flag.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import { readRates } from "../../../maintenance/stats.ts";
import { Badge, OnOff } from "../parts/status.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { useView } from "../view.ts";
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
