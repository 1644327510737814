import { SCOPES, type Scope } from "../../../access/scope.ts";
import { newTokenSchema } from "../../../access/token-schema.ts";
import { type CreatedToken, type Token, tokenCursor } from "../../../access/token.ts";
import { createToken, revokeToken } from "../../../access/tokens.ts";
import { parseDuration } from "../../../base/units.ts";
import type { Project } from "../../../projects/project.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { List } from "../parts/list.tsx";
import { secretPage } from "../parts/secret.tsx";
import { type Faults, check, faultAt, submit } from "../parts/submit.ts";
import { AccessTabs } from "./parts.tsx";
import type { Dashboard } from "../routes.ts";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
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
  "flags:refs": "uploads code references of one project, for a pipeline",
  "forms:read": "reads forms and submissions",
  "forms:write": "changes forms and submissions",
};

/** Form values of a new token. */
type TokenFields = { name: string; scopes: readonly Scope[]; place: string; expires: string };

const BLANK: TokenFields = { name: "", scopes: [], place: "", expires: "90d" };

export function tokenRoutes({ app, get, post }: Dashboard) {
  const show = async (typed = BLANK, faults: Faults = {}) =>
    tokensPage(await app.store.tokens.list(), await app.store.projects.list(), typed, faults);

  get("/access/tokens", "admin", () => show());
  post("/access/tokens", "admin", async (c, fields) => {
    const typed = tokenFieldsIn(fields);
    return submit(
      async () => tokenPage(await createToken(app, c.get("caller"), newToken(typed, app.now()))),
      async (faults) => ({ ...(await show(typed, faults)), status: 400 }),
      { invalid: "name", conflict: "name" },
    );
  });
  post("/access/tokens/:token", "admin", async (c, fields, { token }) => {
    await revokeToken(app, c.get("caller"), token, textOrNull(fields, "project") ?? undefined);
    return { to: "/access/tokens", text: `Revoked ${token}` };
  });
}

function tokenFieldsIn(fields: Fields): TokenFields {
  const scopes = textsOf(fields, "scope");
  return {
    name: textOf(fields, "name").trim(),
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    place: textOf(fields, "place"),
    expires: textOf(fields, "expires").trim(),
  };
}

/** Reads the new token from its form. Throws `invalid` for an invalid name or expiry, or if no scope is selected. */
function newToken({ name, scopes, place, expires }: TokenFields, now: number) {
  const seconds = expires === "" ? null : parseDuration(expires);
  if (seconds === undefined) throw faultAt("expires", `write the time as 90d or 12h, not ${expires}`);
  const [project, environment] = place === "" ? [] : place.split("/");
  return check(newTokenSchema, {
    name,
    scopes,
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
    expiresAt: seconds === null ? null : new Date(now + seconds * 1000).toISOString(),
  });
}

function tokensPage(
  tokens: readonly Token[],
  projects: readonly Project[],
  typed: TokenFields,
  faults: Faults,
): Page {
  return {
    title: "Tokens",
    section: "access",
    topics: ["setup"],
    commands: [
      { label: "List tokens", text: "formflag tokens list" },
      {
        label: "Create one",
        text: "formflag tokens create pipeline --scope flags:write -p shop --expires 90d",
      },
    ],
    content: (
      <>
        <AccessTabs current="tokens" />
        <List
          empty={
            <Empty title="There are no tokens yet">
              <p class="soft">A token lets a program or the command line use the admin API of this server.</p>
            </Empty>
          }
          caption="Tokens"
          rows={tokens}
          keyOf={(token) => `token-${tokenCursor(token)}`}
          columns={COLUMNS}
        />
        <Form to="/access/tokens" class="card" id="new-token" label="Create a token">
          <h2>Create a token</h2>
          <div class="columns">
            <TextField
              name="name"
              label="Name"
              hint="Of the program or person, such as pipeline"
              value={typed.name}
              error={faults["name"]}
              required
            />
            <SelectField
              name="place"
              label="Limited to"
              value={typed.place}
              options={[{ value: "", label: "everything" }, ...projects.flatMap(placesOf)]}
              error={faults["project"] ?? faults["environment"]}
            />
            <TextField
              name="expires"
              label="Expires after"
              hint="Such as 90d; empty for never"
              value={typed.expires}
              error={faults["expires"] ?? faults["expiresAt"]}
            />
          </div>
          <fieldset>
            <legend>Scopes</legend>
            {faults["scopes"] && (
              <p class="error" id="scopes-error">
                {faults["scopes"]}
              </p>
            )}
            {SCOPES.map((scope) => (
              <CheckField
                name="scope"
                id={`scope-${scope}`}
                value={scope}
                label={scope}
                hint={sentence(SCOPE_TEXTS[scope])}
                checked={typed.scopes.includes(scope)}
                fault={faults["scopes"] && "scopes-error"}
              />
            ))}
          </fieldset>
          <div class="buttons">
            <Button kind="primary" icon="plus">
              Create the token
            </Button>
          </div>
        </Form>
      </>
    ),
  };
}

function placesOf({ slug, environments }: Project) {
  return [
    { value: slug, label: `project ${slug}` },
    ...environments.map((each) => ({ value: `${slug}/${each.slug}`, label: `${slug}, ${each.slug}` })),
  ];
}

const COLUMNS: Column<Token>[] = [
  { label: "Token", heading: true, cell: ({ name }) => name },
  { label: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
  {
    label: "Limited to",
    cell: ({ project, environment }) => [project, environment].filter(Boolean).join(", ") || "everything",
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
  {
    label: "Actions",
    isLabelUnseen: true,
    cell: ({ name, project }) => (
      <AskingButton
        to={`/access/tokens/${encodeURIComponent(name)}`}
        values={{ project: project ?? "" }}
        label={`Revoke the token ${name}`}
        question="Programs that use this token are refused at once, and it cannot be brought back."
        confirm={`Revoke ${name}`}
      >
        Revoke…
      </AskingButton>
    ),
  },
];

/** Shows the secret of a new token, this one time. */
function tokenPage({ name, scopes, token }: CreatedToken): Page {
  return secretPage({
    title: `New token ${name}`,
    section: "access",
    back: { to: "/access/tokens", label: "Tokens" },
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
        <p>{`This is shown this one time. It may ${scopes.join(", ")}.`}</p>
      </Notice>
    ),
  });
}
