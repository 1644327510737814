import { own } from "../../../base/shapes/own.ts";
import { SCOPES, SCOPE_WORDS, type Scope } from "../../../access/scope.ts";
import { TOKEN } from "../../../access/token-card.ts";
import { type CreatedToken, type Token, tokenCursor } from "../../../access/token.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Facts } from "../parts/card.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { CheckField, SelectField } from "../parts/field.tsx";
import { Fold } from "../parts/fold.tsx";
import { CardFields, controlsOf, givenIn } from "../parts/kind-field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { secretPage } from "../parts/secret.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { type Typed, faultAt, typedAt } from "../parts/submit.ts";
import { Time } from "../parts/time.tsx";
import { Change } from "../project/environments.tsx";
import { AddFold } from "../project/section.tsx";
import type { Project } from "../../../projects/project.ts";
import { useView } from "../view.ts";

/** Purposes of tokens, with their scopes. */
const PURPOSES: Readonly<Record<string, readonly [label: string, scopes: readonly Scope[], hint?: string]>> =
  {
    application: ["An application reads flags", ["flags:evaluate"], "Of one environment, over OFREP"],
    browser: [
      "Pages of a website read flags",
      ["flags:browser"],
      "Of one environment; every visitor can read this token",
    ],
    provider: ["flagd or a provider evaluates flags itself", ["flags:sync"], "Of one environment"],
    pipeline: ["A pipeline changes flags", ["flags:write"]],
    forms: ["A program works with forms and submissions", ["forms:write"]],
    reader: ["A program reads everything", ["read"]],
    admin: ["A person or a program does everything", ["admin"]],
  };

/**
 * The new token of a form, as `tokens.create` takes it; without a place of its own it is limited to `project`. Throws the faults
 * of what cannot be read, and of another project.
 */
export function newToken(fields: Fields, now: number, project: string | undefined) {
  const place = textOrNull(fields, "place") ?? project;
  const [slug, environment] = place?.split("/") ?? [];
  if (project !== undefined && slug !== project) throw faultAt("place", "it is limited to this project");
  return {
    ...givenIn(TOKEN, fields, now),
    scopes: own(PURPOSES, textOf(fields, "purpose"))?.[1] ?? textsOf(fields, "scope"),
    ...(slug !== undefined && { project: slug }),
    ...(environment !== undefined && { environment }),
  };
}

/** The fields at which refusals of a new token are shown. */
export const TOKEN_FAULTS = {
  ...controlsOf(TOKEN),
  project: "place",
  environment: "place",
  invalid: "name",
  conflict: "name",
};

const { allowedOrigins, ...shared } = TOKEN;

export type Places = readonly { value: string; label: string }[];

/** The places in a project to which a token can be limited. */
export function placesIn(
  { slug, environments }: Project,
  whole = "the whole project",
  labelOf = (environment: string) => environment,
): Places {
  const all = environments.map((each) => ({ value: `${slug}/${each.slug}`, label: labelOf(each.slug) }));
  return [{ value: slug, label: whole }, ...all];
}

type Props = {
  to: string;
  /** Places to which a new token can be limited; the first is chosen. */
  places: Places;
  typed: Typed | null;
  /** Whether the form of a new token is open. */
  isOpen?: boolean;
};

/** Tokens, each in words, with the form that creates one; all post to `to`. */
export function TokenRows({ tokens, ...form }: Props & { tokens: readonly Token[] }) {
  return (
    <>
      {tokens.length === 0 && (
        <p class="soft quiet-line">
          No tokens yet. A token lets a program or the command line use the admin API of this server.
        </p>
      )}
      {tokens.map((token) => (
        <TokenFold to={form.to} token={token} places={form.places} />
      ))}
      <NewToken {...form} />
    </>
  );
}

/** `an application reads flags; in production`. */
function TokenFold({ to, token, places }: { to: string; token: Token; places: Places }) {
  const { name, scopes, project, environment, allowedOrigins, createdAt, expiresAt } = token;
  const value = [project, environment].filter(Boolean).join("/");
  const place = places.find((each) => each.value === value)?.label ?? value;
  return (
    <Fold
      id={`token-${tokenCursor(token)}`}
      name={name}
      sentence={
        <>
          {scopes.map((scope) => SCOPE_WORDS[scope] ?? scope).join("; ")}
          <span class="soft small">
            {value && `; in ${place}`}; <Ending at={expiresAt} />
          </span>
        </>
      }
      act={<Change of={name} />}
    >
      <div class="editor">
        <Facts
          facts={[
            ["Scopes", scopes.join(", ")],
            allowedOrigins !== undefined && ["Websites", allowedOrigins.join(", ")],
            ["Created", <Time at={Date.parse(createdAt)} />],
          ]}
        />
        <AskingButton
          to={`${to}/${encodeURIComponent(name)}`}
          values={{ project: project ?? "" }}
          label={`Revoke the token ${name}`}
          question="Programs that use this token are refused at once, and it cannot be brought back."
          confirm={`Revoke ${name}`}
        >
          Revoke…
        </AskingButton>
      </div>
    </Fold>
  );
}

function Ending({ at: text }: { at: string | null }) {
  if (text === null) return <>never ends</>;
  const at = Date.parse(text);
  if (at <= useView().now) return <Badge tone="bad">expired</Badge>;
  return (
    <>
      ends <Time at={at} />
    </>
  );
}

function NewToken({ to, places, typed, isOpen = typed !== null }: Props) {
  const fault = typed?.faults["scopes"];
  const scopes = typed === null ? [] : textsOf(typed.fields, "scope");
  const purpose = typed === null ? "" : textOf(typed.fields, "purpose");
  return (
    <AddFold id="new-token" act="Create a token" isOpen={isOpen}>
      <Form to={to} class="editor" id="token-form" label="Create a token">
        <fieldset>
          <legend>What is it for?</legend>
          {Object.entries(PURPOSES).map(([value, [label, , hint]]) => (
            <CheckField
              type="radio"
              name="purpose"
              id={`purpose-${value}`}
              value={value}
              label={label}
              hint={hint}
              checked={purpose === value}
            />
          ))}
          <details open={fault !== undefined || scopes.length > 0}>
            <summary>Something else: scopes</summary>
            <div class="stack">
              <CheckField
                type="radio"
                name="purpose"
                id="purpose-scopes"
                value="scopes"
                label="These scopes"
                checked={scopes.length > 0}
              />
              {fault && (
                <p class="error" id="scopes-error">
                  {fault}
                </p>
              )}
              <div class="columns">
                {SCOPES.map((scope) => (
                  <CheckField
                    name="scope"
                    id={`scope-${scope}`}
                    value={scope}
                    label={scope}
                    hint={sentence(SCOPE_WORDS[scope])}
                    checked={scopes.includes(scope)}
                    fault={fault && "scopes-error"}
                  />
                ))}
              </div>
            </div>
          </details>
        </fieldset>
        <div class="columns">
          <SelectField {...typedAt(typed, "place")} label="Limited to" options={places} />
          <CardFields card={shared} typed={typed} id="token" />
        </div>
        <div class="if-browser">
          <CardFields card={{ allowedOrigins }} typed={typed} id="token" />
        </div>
        <p class="buttons">
          <Button icon="plus">Create the token</Button>
        </p>
      </Form>
    </AddFold>
  );
}

/** Shows the secret of a new token, this one time. `back` is the page of tokens, whose section it belongs to. */
export function tokenPage(
  { name, scopes, project, environment, token }: CreatedToken,
  back: { to: string; label: string },
  section: Page["section"],
): Page {
  const place = [project, environment].filter(Boolean).join(", ");
  return secretPage({
    title: `New token ${name}`,
    section,
    back,
    commands: [
      {
        label: "Use it",
        text: "FORMFLAG_SERVER=https://forms.example.com FORMFLAG_TOKEN_FILE=token.txt formflag projects list",
      },
    ],
    id: "token",
    secret: token,
    about: (
      <Notice tone="warn">
        <p>{`This is shown this one time. Its scopes are ${scopes.join(", ")}${place && ` in ${place}`}.`}</p>
      </Notice>
    ),
  });
}
