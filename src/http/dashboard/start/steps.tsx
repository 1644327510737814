import type { Child, PropsWithChildren } from "../markup.ts";
import { Icon } from "../parts/icon.tsx";
import { A, Button, ButtonForm, ButtonLink, Form } from "../parts/link.tsx";
import { typedAt, type Typed } from "../parts/submit.ts";
import { formPath, projectPath } from "../paths.ts";
import type { Steps } from "./read-steps.ts";

/** The first steps, of which the next one is open. */
export function FirstSteps({ steps, typed }: { steps: Steps; typed?: Typed | null }) {
  const { message, flag, back } = steps;
  const shown = [
    message && { ...message, kind: "message" },
    flag && { ...flag, kind: "flag" },
    { ...back, kind: "back" },
  ].filter((step) => step !== null);
  const wrong = typed?.faults["flag"] === undefined ? "message" : "flag";
  const open = typed ? wrong : shown.find(({ isDone }) => !isDone)?.kind;
  const at = (kind: string) => {
    const number = shown.findIndex((step) => step.kind === kind) + 1;
    return { number, isDone: shown[number - 1]!.isDone, isOpen: kind === open };
  };
  return (
    <section class="card flush rows" aria-label="First steps">
      {message && (
        <Step
          {...at("message")}
          title="Receive a message"
          time="1 min"
          hint="A form takes what people send from any page, and keeps it in the inbox."
        >
          <Message {...message} isMain={open === "message"} typed={typed} />
        </Step>
      )}
      {flag && (
        <Step
          {...at("flag")}
          title="Switch something without a deploy"
          time="2 min"
          hint="A flag turns a part of your application on, for everyone, a share or a few."
        >
          <NewFlag {...flag} isMain={open === "flag"} typed={typed} />
        </Step>
      )}
      <Step
        {...at("back")}
        title="Come back without a link"
        time="30 s"
        hint={`The link you used works once. A passkey ${back.passwords ? "or a password " : ""}lets you in again.`}
      >
        <p class="buttons">
          <ButtonLink to="/me#passkey-name" icon="key" kind={open === "back" ? "primary" : ""}>
            Add a passkey
          </ButtonLink>
          {back.passwords && <ButtonLink to="/me#next">Set a password</ButtonLink>}
        </p>
      </Step>
    </section>
  );
}

type StepProps = {
  number: number;
  isDone: boolean;
  isOpen: boolean;
  title: string;
  time: string;
  hint: Child;
};

function Step({ number, isDone, isOpen, title, time, hint, children }: PropsWithChildren<StepProps>) {
  return (
    <details class="step" name="step" open={isOpen}>
      <summary>
        {isDone ? (
          <span class="n good">
            <Icon name="check" />
          </span>
        ) : (
          <span class="n">{number}</span>
        )}
        <h2>{title}</h2>
        <span class="soft small">
          {isDone ? "done" : time} <Icon name="chevronDown" kind="tiny" />
        </span>
        <span class="hint">{hint}</span>
      </summary>
      <div>{children}</div>
    </details>
  );
}

type Field = { isMain: boolean; typed: Typed | null | undefined };

function Message({ isDone, form, isMain, typed }: NonNullable<Steps["message"]> & Field) {
  const kind = isMain ? "primary" : "";
  if (isDone)
    return (
      <p>
        Messages are in the <A to="/inbox">inbox</A>.
      </p>
    );
  if (form === null)
    return (
      <>
        <NameForm to="/start/form" name="name" label="Name of the form" example="Contact" typed={typed}>
          <Button kind={kind}>Create the form</Button>
        </NameForm>
        <p class="small soft">
          You then get a page to share and five lines of HTML, and send the first message yourself.
        </p>
      </>
    );
  return (
    <>
      <p>
        <A to={formPath(form)}>{form}</A> is ready: it has a page to share, and HTML for your own.
      </p>
      <ButtonForm to={`${formPath(form)}/test`} kind={kind}>
        Send a test message
      </ButtonForm>
    </>
  );
}

function NewFlag({ isDone, project, isMain, typed }: NonNullable<Steps["flag"]> & Field) {
  if (isDone && project !== null)
    return (
      <p>
        There are flags in <A to={projectPath(project)}>{project}</A>.
      </p>
    );
  return (
    <NameForm to="/start/flag" name="flag" label="Name of the flag" example="new-checkout" typed={typed}>
      <Button kind={isMain ? "primary" : ""}>Create the flag</Button>
    </NameForm>
  );
}

function NameForm({
  to,
  name,
  label,
  example,
  typed,
  children,
}: PropsWithChildren<{
  to: string;
  name: string;
  label: string;
  example: string;
  typed: Typed | null | undefined;
}>) {
  const { value, error } = typedAt(typed, name);
  const id = `first-${name}`;
  return (
    <Form to={to} class="line">
      <label class="unseen" for={id}>
        {label}
      </label>
      <input
        class="short"
        id={id}
        name={name}
        value={value || example}
        maxlength={100}
        required
        autocomplete="off"
        aria-invalid={error ? "true" : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      {children}
      {error && (
        <p class="field">
          <span class="error" id={`${id}-error`}>
            {error}
          </span>
        </p>
      )}
    </Form>
  );
}
