import type { Child, PropsWithChildren } from "../markup.ts";
import { TextField, WhyField } from "./field.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { type ButtonKind, Button, ButtonLink, Form } from "./link.tsx";

/** A word that has to be typed before something is done, such as the name of what is deleted. */
type Word = {
  name: string;
  /** The word; `label` says it if it is not the word alone. */
  word: string;
  label?: string;
  id?: string;
  typed?: string | undefined;
  fault?: string | null | undefined;
  autofocus?: boolean;
};

/** The field of such a word. */
export function WordField({
  name,
  word,
  label = `Type ${word} to confirm`,
  id,
  typed,
  fault,
  autofocus,
}: Word) {
  return (
    <TextField
      name={name}
      id={id}
      label={label}
      value={typed}
      error={fault}
      autofocus={autofocus ?? false}
      required
    />
  );
}

type Props = {
  /** The reason as it was given; left out if none is asked for. */
  why?: string | null;
  whyId?: string;
  words?: readonly Word[];
  /** Label of the button: `Delete shop`. */
  act: Child;
  kind?: ButtonKind;
  icon?: IconName;
  /** Target of the link back. */
  back?: { to: string; query?: Parameters<typeof ButtonLink>[0]["query"]; label?: string };
} & Parameters<typeof Form>[0];

/** A step that has to be agreed to: why it is made, the words to type, its button, and the way back. */
export function Danger({
  why,
  whyId,
  words = [],
  act,
  kind = "danger primary",
  icon,
  back,
  children,
  ...form
}: Props) {
  return (
    <Form class="stack" {...form}>
      {children}
      {why !== undefined && <WhyField id={whyId} value={why} />}
      {words.map((word) => (
        <WordField {...word} />
      ))}
      <p class="buttons">
        <Button kind={kind} {...(icon && { icon })}>
          {act}
        </Button>
        {back && (
          <ButtonLink to={back.to} {...(back.query && { query: back.query })} kind="quiet">
            {back.label ?? "Back"}
          </ButtonLink>
        )}
      </p>
    </Form>
  );
}

/** A button that opens a question, whose own button sends the form: for what cannot be taken back. */
export function AskingButton({
  to,
  values,
  kind = "",
  icon,
  label,
  question,
  confirm,
  children,
}: PropsWithChildren<{
  to: string;
  values?: Parameters<typeof Form>[0]["values"];
  kind?: ButtonKind;
  icon?: IconName;
  label?: string;
  question: Child;
  /** Label of the confirmation button: `Revoke ci`. */
  confirm: string;
}>) {
  return (
    <details class="asking">
      <summary class={`button ${kind}`} aria-label={label}>
        {icon && <Icon name={icon} />}
        {children}
      </summary>
      <Danger to={to} {...(values && { values })} act={confirm}>
        <p>{question}</p>
      </Danger>
    </details>
  );
}
