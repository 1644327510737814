import { isoTime } from "../../base/clock.ts";
import { type FlagPatch, type FlagRecord, parsePayload } from "../flag.ts";
import { type FlagRules, parseRules, type RulesPatch, takesPayload } from "../rules/rules.ts";

/** The patch that turns `after` back into `before`. It names only what differs, so that other changes in between stay. */
export function inverseOf(before: FlagRecord, after: FlagRecord): FlagPatch {
  const { enabled, description, isPreview, previewName, previewContent } = before;
  return {
    ...(enabled === after.enabled ? {} : { enabled }),
    ...rulesBack(before.rules, after.rules),
    ...payloadBack(before, after),
    ...expiryBack(before.expiresAt, after.expiresAt),
    ...(description === after.description ? {} : { description }),
    ...(isPreview === after.isPreview ? {} : { isPreview }),
    ...(previewName === after.previewName ? {} : { previewName }),
    ...(previewContent === after.previewContent ? {} : { previewContent }),
  };
}

function payloadBack(before: FlagRecord, after: FlagRecord): Pick<FlagPatch, "payload"> {
  if (!takesPayload(before.rules) || before.payload === after.payload) return {};
  return { payload: parsePayload(before.payload) };
}

function expiryBack(before: number | null, after: number | null): Pick<FlagPatch, "expiredAt"> {
  if (before === after) return {};
  return { expiredAt: before === null ? null : isoTime(before) };
}

function rulesBack(before: string | null, after: string | null): RulesPatch {
  if (before === after) return {};
  if (before === null) return { variants: null };
  const was = parseRules(before);
  const is: Partial<FlagRules> = after === null ? {} : parseRules(after);
  const differs = (part: keyof FlagRules) =>
    JSON.stringify(was[part] ?? null) !== JSON.stringify(is[part] ?? null);
  return {
    ...(differs("variants") ? { variants: was.variants } : {}),
    ...(differs("defaultVariant") ? { defaultVariant: was.defaultVariant ?? null } : {}),
    ...(differs("targeting") ? { targeting: was.targeting ?? null } : {}),
    ...(differs("metadata") ? { metadata: was.metadata ?? null } : {}),
  };
}
