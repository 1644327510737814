import type { Context, Evaluation } from "./flags.ts";
import { type Bootstrap, ELEMENT, fingerprintOf } from "./bootstrap.ts";

export type { Bootstrap } from "./bootstrap.ts";

/** The provider for servers, or the one for the edge. */
type Evaluates = { evaluateAll: (context: Context) => Record<string, Evaluation> };

/** The results for a context, for a provider in a page; those of some flags, or of all. */
export function snapshot(provider: Evaluates, context: Context, only?: readonly string[]): Bootstrap {
  const all = provider.evaluateAll(context);
  // Descriptions are not for visitors.
  const flags = Object.fromEntries(
    (only ?? Object.keys(all)).flatMap((key) => (all[key] ? [[key, { ...all[key], metadata: {} }]] : [])),
  );
  return { flags, for: fingerprintOf(context), id: fingerprintOf(flags) };
}

/** The same as an element of a page, from which `FormflagWebProvider` starts. */
export function bootstrap(provider: Evaluates, context: Context, only?: readonly string[]): string {
  // Inside of a script element, only this sign begins markup.
  const json = JSON.stringify(snapshot(provider, context, only)).replaceAll("<", "\\u003c");
  return `<script type="application/json" id="${ELEMENT}">${json}</script>`;
}
