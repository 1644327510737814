import type { FlagPatch } from "../../../src/flags/flag.ts";
import { foreignOperators } from "../../../src/flags/flagd/foreign.ts";
import { conditionInWords } from "../../../src/flags/rules/condition-words.ts";
import { endsInShare, isShare, rowsOfRule } from "../../../src/flags/rules/rule-rows.ts";
import { ruleSentence } from "../../../src/flags/rules/rule-words.ts";
import { sharesOf, splittingAttributes } from "../../../src/flags/rules/shares.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import type { Place } from "./place.ts";
import type { SetFlag } from "./report.ts";
import type { RuleOptions } from "./rules.ts";

/** Notes on standard error what a change of variants and rules means for readers who may not be thought of. */
export function noteRules(
  { note, showsNotes }: Session,
  { project, environment }: Place,
  {
    patch,
    flag,
    lost,
    replaces,
    given,
  }: { patch: FlagPatch; flag: SetFlag; lost: unknown; replaces: boolean; given: RuleOptions },
): void {
  if (!showsNotes || flag.result === "unchanged") return;
  const { slug, enabled, defaultVariant } = flag;
  if (lost !== undefined)
    note(
      shown`the variants take the place of its payload ${JSON.stringify(lost)}; to undo: formflag flags undo ${slug} -p ${project} -e ${environment}\n`,
    );
  if (replaces)
    note(
      shown`this takes the place of a rule of its own; to undo: formflag flags undo ${slug} -p ${project} -e ${environment}\n`,
    );
  noteRows(note, shown`${slug} -p ${project} -e ${environment}`, flag, given);
  const splitting = splittingAttributes(flag.targeting).map((name) =>
    name === "targetingKey" ? `a ${name}` : name,
  );
  if (patch.targeting && endsInShare(flag.targeting) && splitting.length > 0) {
    // A text that a rule builds of an attribute is one without it too.
    const isBuilt = /"fractional":\[\{"(?!var")/.test(JSON.stringify(flag.targeting));
    const effect = isBuilt
      ? "get one variant, all of them"
      : `are not in the share: they get ${defaultVariant ?? "no value"}`;
    note(shown`readers without ${splitting.join(" or ")}, such as those of GET /api/v1/flags, ${effect}\n`);
  } else if (patch.targeting)
    note(
      shown`readers of GET /api/v1/flags send no context; to see what they get: formflag flags evaluate ${slug} -p ${project} -e ${environment}\n`,
    );
  const [, small] = (patch.targeting && /\b(0\.\d+) % of users/.exec(ruleSentence(flag))) || [];
  if (small !== undefined) {
    const meant = String(Number((Number(small) * 100).toFixed(4)));
    note(
      shown`${small} % are fewer than one user in a hundred; if ${meant} % are meant: --rollout ${meant}\n`,
    );
  }
  const foreign = patch.targeting ? [...foreignOperators(JSON.stringify(patch.targeting))] : [];
  if (foreign.length > 0)
    note(
      shown`flagd does not have ${foreign.join(", ")}: files for flagd and its providers leave out ${slug}, and @formflag/openfeature evaluates it\n`,
    );
  if (patch.variants === null && flag.result === "updated")
    note(shown`${slug} has no rule any more: it is ${enabled ? "on" : "off"} for everyone\n`);
}

/**
 * Notes the rows before a share for everyone else: rows that get on altogether, since `--if` has no `--then`, or that keep a
 * smaller share of their own.
 */
function noteRows(
  note: (text: string) => void,
  flag: string,
  { targeting = {} }: SetFlag,
  { rollout, if: conditions = [], then: chosen = [] }: RuleOptions,
): void {
  const percentOf = (rule: unknown) => Number(sharesOf(rule)?.[0]?.percent);
  const { rows, rest } = rowsOfRule(targeting) ?? { rows: [], rest: undefined };
  if (rollout === undefined || !isShare(rest)) return;
  for (const { condition, result } of rows) {
    const words = conditionInWords(condition) ?? "a condition";
    if (conditions.length > 0 && chosen.length === 0)
      note(
        shown`all of ${words} get it, and ${percentOf(rest)} % of everyone else; for ${percentOf(rest)} % of ${words} alone: --if '${words}' --then '${percentOf(rest)} %'\n`,
      );
    else if (percentOf(result) < percentOf(rest))
      note(
        shown`${words} keeps its own share, ${percentOf(result)} %; for the same for everyone: formflag flags set ${flag} --on --everyone\n`,
      );
  }
}
