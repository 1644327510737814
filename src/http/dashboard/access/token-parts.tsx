import { SCOPES, type Scope } from "../../../access/scope.ts";
import { type CreatedToken, type Token, tokenCursor } from "../../../access/token.ts";
import { parseDuration } from "../../../base/units.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { List } from "../parts/list.tsx";
import { secretPage } from "../parts/secret.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { type Typed, faultAt, typedAt } from "../parts/submit.ts";
import { type Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useView } from "../view.ts";

const SCOPE_TEXTS: Record<Scope, string> = {
  admin: "everything",
  read: "reads forms, submissions and flags",
  "flags:read": "reads flags",
  "flags:write": "changes flags",
  "flags:locked": "changes flags in locked environments too",
  "flags:evaluate": "evaluates the flags of one environment over OFREP, for an application; alone",
  "flags:browser": "evaluates flags that are for browsers on pages, where every visitor can read it; alone",
  "flags:sync": "reads the rules of one environment, for flagd and providers that evaluate themselves; alone",
  "flags:refs": "uploads code references of one project, for a pipeline",
  "forms:read": "reads forms and submissions",
  "forms:write": "changes forms and submissions",
};

/**
 * The new token of a form, as `tokens.create` takes it; without a place of its own it is limited to `project`. Throws the fault
 * of a time that cannot be read, and of another project.
 */
export function newToken(fields: Fields, now: number, project: string | undefined) {
  const expires = textOf(fields, "expires").trim();
  const seconds = expires === "" ? null : parseDuration(expires);
  if (seconds === undefined) throw faultAt("expires", `write the time as 90d or 12h, not ${expires}`);
  const place = textOrNull(fields, "place") ?? project;
  const [slug, environment] = place?.split("/") ?? [];
  if (project !== undefined && slug !== project) throw faultAt("place", "it is limited to this project");
  const origins = textOrNull(fields, "origins");
  return {
    name: textOf(fields, "name").trim(),
    scopes: textsOf(fields, "scope"),
    ...(slug !== undefined && { project: slug }),
    ...(environment !== undefined && { environment }),
    ...(origins !== null && { allowedOrigins: origins.split(/[\s,]+/) }),
    expiresAt: seconds === null ? null : new Date(now + seconds * 1000).toISOString(),
  };
}

/** The fields at which refusals of a new token are shown. */
export const TOKEN_FAULTS = {
  project: "place",
  environment: "place",
  expiresAt: "expires",
  allowedOrigins: "origins",
  invalid: "name",
  conflict: "name",
};

type Place = { value: string; label: string };

/** The tokens of a page, with the form that creates one; both post to `to`. */
export function TokenList({
  to,
  tokens,
  places,
  typed,
}: {
  to: string;
  tokens: readonly Token[];
  /** Places to which a new token can be limited; the first is chosen. */
  places: readonly Place[];
  typed: Typed | null;
}) {
  const fault = typed?.faults["scopes"];
  const scopes = typed === null ? [] : textsOf(typed.fields, "scope");
  return (
    <>
      <List
        empty={
          <Empty title="There are no tokens yet">
            <p class="soft">A token lets a program or the command line use the admin API of this server.</p>
          </Empty>
        }
        caption="Tokens"
        rows={tokens}
        keyOf={(token) => `token-${tokenCursor(token)}`}
        columns={[...columnsOf(places), revocation(to)]}
      />
      <Form to={to} class="card" id="new-token" label="Create a token">
        <h2>Create a token</h2>
        <div class="columns">
          <TextField
            {...typedAt(typed, "name")}
            label="Name"
            hint="Of the program or person, such as pipeline"
            required
          />
          <SelectField {...typedAt(typed, "place")} label="Limited to" options={places} />
          <TextField
            {...typedAt(typed, "expires", "90d")}
            label="Expires after"
            hint="Such as 90d; empty for never"
          />
          <TextField
            {...typedAt(typed, "origins")}
            label="Websites"
            hint="Of a browser key, such as https://shop.example.com; empty for any"
          />
        </div>
        <fieldset>
          <legend>Scopes</legend>
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
                hint={sentence(SCOPE_TEXTS[scope])}
                checked={scopes.includes(scope)}
                fault={fault && "scopes-error"}
              />
            ))}
          </div>
        </fieldset>
        <div class="buttons">
          <Button kind="primary" icon="plus">
            Create the token
          </Button>
        </div>
      </Form>
    </>
  );
}

/** Columns of tokens, whose places are named as the choices of a new token are. */
const columnsOf = (places: readonly Place[]): Column<Token>[] => [
  { label: "Token", heading: true, cell: ({ name }) => name },
  {
    label: "Scopes",
    cell: ({ scopes }) =>
      scopes.map((scope, index) => (
        <>
          {index > 0 && ", "}
          <span class="together">{scope}</span>
        </>
      )),
  },
  {
    label: "Limited to",
    cell: ({ project, environment }) => {
      const value = [project, environment].filter(Boolean).join("/");
      return places.find((place) => place.value === value)?.label ?? value;
    },
  },
  { label: "Created", cell: ({ createdAt }) => <Time at={Date.parse(createdAt)} /> },
  {
    label: "Expires",
    cell: ({ expiresAt }) => {
      if (expiresAt === null) return "never";
      const at = Date.parse(expiresAt);
      return at <= useView().now ? <Badge tone="bad">expired</Badge> : <Time at={at} />;
    },
  },
];

function revocation(to: string): Column<Token> {
  return {
    label: "Actions",
    isLabelUnseen: true,
    cell: ({ name, project }) => (
      <AskingButton
        to={`${to}/${encodeURIComponent(name)}`}
        values={{ project: project ?? "" }}
        label={`Revoke the token ${name}`}
        question="Programs that use this token are refused at once, and it cannot be brought back."
        confirm={`Revoke ${name}`}
      >
        Revoke…
      </AskingButton>
    ),
  };
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
