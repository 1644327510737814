import type { Child } from "../markup.ts";
import { Button, Form } from "./link.tsx";

type Target = Omit<Parameters<typeof Form>[0], "class" | "children">;

/** A switch that acts when it is pressed: it sends the state that it would have as `name`. `label` names it. */
export function Switch({
  isOn,
  label,
  name = "on",
  ...form
}: { isOn: boolean; label: string; name?: string } & Target) {
  return (
    <Form {...form}>
      <button
        class="switch"
        role="switch"
        aria-checked={isOn ? "true" : "false"}
        name={name}
        value={String(!isOn)}
        aria-label={label}
      ></button>
    </Form>
  );
}

/**
 * A control that asks before it acts: a panel below it, a sheet on a phone. It looks like a switch, or, with `kind`, like a
 * button. `act` is the label of the button that acts, `question` stands above the fields.
 */
export function Ask({
  isOn = false,
  kind,
  label,
  face,
  question,
  act,
  isDeletion = false,
  others,
  children,
  ...form
}: {
  isOn?: boolean;
  /** The class of a button; left out for a switch. */
  kind?: string;
  /** The accessible name: `checkout is on in production, which is locked: change…`. */
  label?: string;
  /** The content of the button. */
  face?: Child;
  question: Child;
  act: string;
  isDeletion?: boolean;
  /** Links beside the button. */
  others?: Child;
  children?: Child;
} & Target) {
  return (
    <details class="ask" name="ask">
      <summary class={kind ?? (isOn ? "switch on" : "switch")} aria-label={label}>
        {face}
      </summary>
      <Form {...form}>
        <p>{question}</p>
        {children}
        <p class="buttons">
          <Button kind={isDeletion ? "danger primary" : "primary"}>{act}</Button>
          {others}
        </p>
      </Form>
    </details>
  );
}
