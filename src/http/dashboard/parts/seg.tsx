import type { Child } from "../markup.ts";
import { EnvironmentName } from "./status.tsx";
import { A } from "./link.tsx";

type Query = Parameters<typeof A>[0]["query"];

/**
 * One of a few values, side by side. Each has the id `name-value`, so that a style shows what belongs to it, such as `.if-all`
 * while `#who-all` is checked. The legend or heading around it names the group.
 */
export function Seg({
  name,
  value,
  options,
}: {
  name: string;
  value: string | null;
  options: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <div class="seg">
      {options.map(([each, label]) => (
        <label>
          <input type="radio" name={name} id={`${name}-${each}`} value={each} checked={each === value} />
          {label}
        </label>
      ))}
    </div>
  );
}

type Choice = { to: string; query?: Query; label: Child; isCurrent: boolean };

/** Links to the same page with other numbers, such as a span of days. `label` names them. */
export function SegLinks({
  label,
  choices,
  class: className,
}: {
  label: string;
  choices: readonly Choice[];
  class?: string;
}) {
  return (
    <nav class={className ? `seg ${className}` : "seg"} aria-label={label}>
      {choices.map(({ label, isCurrent, ...link }) => (
        <A {...link} current={isCurrent ? "true" : undefined}>
          {label}
        </A>
      ))}
    </nav>
  );
}

/** Filters of a list as links, with how much each shows. */
export function Chips({
  label,
  chips,
}: {
  label: string;
  chips: readonly (Choice & { count?: number | string | null })[];
}) {
  return (
    <nav class="chips" aria-label={label}>
      {chips.map(({ label, count, isCurrent, ...link }) => (
        <A {...link} current={isCurrent ? "page" : undefined}>
          {label}
          {count != null && <span>{typeof count === "number" ? count.toLocaleString("en") : count}</span>}
        </A>
      ))}
    </nav>
  );
}

/** Environments as the tabs of one thing, each with a sentence on what holds there. */
export function EnvTabs({
  tabs,
}: {
  tabs: readonly (Omit<Choice, "label"> & {
    environment: Parameters<typeof EnvironmentName>[0]["environment"];
    sentence?: Child;
  })[];
}) {
  return (
    <nav class="envs" aria-label="Environment">
      {tabs.map(({ environment, sentence, isCurrent, ...link }) => (
        <A {...link} current={isCurrent ? "page" : undefined}>
          <EnvironmentName environment={environment} />
          {sentence && <span class="soft">{sentence}</span>}
        </A>
      ))}
    </nav>
  );
}
