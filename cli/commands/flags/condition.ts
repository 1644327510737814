import { usage } from "../../session/usage.ts";

type Rule = Record<string, unknown>;

const HINT = "a condition looks like 'email ends_with @example.com', 'age >= 18' or 'country in AT, DE'";

/** `email ends_with @example.com` as a rule in JSONLogic. Throws `invalid`. */
export function conditionRule(text: string): Rule {
  const match = /^\s*(\S+)\s+(\S+)\s+(\S.*)$/s.exec(text);
  if (!match) throw usage(`--if ${text} is not a condition`, HINT);
  const [, name, operator, rest] = match as unknown as [string, string, string, string];
  const attribute = { var: name };
  const value = rest.trim();
  switch (operator) {
    // Strict operators: flagd cannot compare a number with a text that is not a number.
    case "==":
      return { "===": [attribute, valueOf(value)] };
    case "!=":
      return { "!==": [attribute, valueOf(value)] };
    case "<":
    case "<=":
    case ">":
    case ">=":
      // A missing attribute would count as 0.
      return { and: [{ "!==": [attribute, null] }, { [operator]: [attribute, valueOf(value)] }] };
    case "in":
      return { in: [attribute, listOf(value)] };
    case "contains":
      return { in: [valueOf(value), attribute] };
    case "starts_with":
    case "ends_with":
      return { [operator]: [attribute, unquoted(value) ?? value] };
    case "sem_ver":
      return { sem_ver: [attribute, ...versionOf(value)] };
    default:
      throw usage(
        `--if has no operator ${operator}`,
        "there are ==, !=, <, <=, >, >=, in, contains, starts_with, ends_with and sem_ver; --targeting takes any rule",
      );
  }
}

/** Parses a number, true or false; a value in quotes, and any other, is a text. */
function valueOf(text: string): unknown {
  const quoted = unquoted(text);
  if (quoted !== undefined) return quoted;
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}

function unquoted(text: string): string | undefined {
  return /^"([^"]*)"$|^'([^']*)'$/s
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
}

/** Values between commas; one in quotes may hold commas itself. */
function listOf(text: string): unknown[] {
  const parts = text.match(/\s*("[^"]*"|'[^']*'|[^,]*)\s*(,|$)/gs) ?? [];
  return parts
    .map((part) => part.replace(/,$/, "").trim())
    .filter(Boolean)
    .map(valueOf);
}

/** `>= 2.1.0` as operator and version. */
function versionOf(text: string): [operator: string, version: string] {
  const match = /^(==?|!=|<=?|>=?|~|\^)\s*(\S+)$/.exec(text);
  if (!match)
    throw usage(
      `--if … sem_ver ${text} is not a condition`,
      "it looks like 'version sem_ver >= 2.1.0', with =, !=, <, <=, >, >=, ~ or ^",
    );
  const [, operator, version] = match as unknown as [string, string, string];
  return [operator === "==" ? "=" : operator, unquoted(version) ?? version];
}
