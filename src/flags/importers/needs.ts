import { type FlagdFlag, NEEDS, onCondition } from "../flagd/definition.ts";
import { REQUIREMENT_LIMITS } from "../limits.ts";
import { type Requirement, requirementsText } from "../requires/requirement.ts";

/** The flags whose needs no environment takes, each with the reason: it needs one that is not imported, itself, or too many in a row. */
export function unsoundNeeds(
  flags: ReadonlyMap<string, FlagdFlag>,
  needs: ReadonlyMap<string, readonly Requirement[]>,
): Map<string, string> {
  const open = new Map([...needs].filter(([name]) => flags.has(name)));
  const isSettled = ({ flag }: Requirement) => flags.has(flag) && !open.has(flag);
  for (let depth = 0; depth < REQUIREMENT_LIMITS.depth; depth += 1) {
    const settled = [...open].filter(([, own]) => own.every(isSettled));
    for (const [name] of settled) open.delete(name);
  }
  const reasonOf = (own: readonly Requirement[]) => {
    const [first] = own.filter((each) => !isSettled(each)).map(({ flag }) => flag);
    if (first === undefined) return `it needs others more than ${REQUIREMENT_LIMITS.depth} deep`;
    if (!flags.has(first)) return `it needs ${first}, which is not imported`;
    return `it needs ${first}, which needs it too, one that is not imported, or others too deep`;
  };
  return new Map([...open].map(([name, own]) => [name, reasonOf(own)]));
}

/** A flag with what it needs, as an export has it; its condition, which the needed flags decide, always holds. */
export function withNeeds(flag: FlagdFlag, needs: readonly Requirement[]): FlagdFlag {
  if (needs.length === 0) return flag;
  const own = flag.state === "ENABLED" ? onCondition(flag, true, false) : flag;
  return { ...own, metadata: { ...own.metadata, [NEEDS]: requirementsText(needs) } };
}
