import { SCOPES, type Scope } from "../../../access/scope.ts";
import type { CreatedToken, Token } from "../../../access/token.ts";
import type { Project } from "../../../projects/project.ts";
import { sentence } from "../error-page.tsx";
import type { Page } from "../page.tsx";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { AskingButton, Button, ButtonLink, CopyButton, Form } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Empty, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useView } from "../view.ts";
import { AccessTabs } from "./access-tabs.tsx";

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

type Typed = { name: string; scopes: readonly Scope[]; place: string; expires: string };

export function tokensPage(
  tokens: readonly Token[],
  projects: readonly Project[],
  failed?: { typed: Typed; field: string; message: string },
): Page {
  const typed = failed?.typed ?? { name: "", scopes: [], place: "", expires: "90d" };
  const faultAt = (field: string) => (failed?.field === field ? sentence(failed.message) : undefined);
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
        {tokens.length === 0 ? (
          <Empty title="There are no tokens yet">
            <p class="soft">A token lets a program or the command line use the admin API of this server.</p>
          </Empty>
        ) : (
          <TokenTable tokens={tokens} />
        )}
        <Form to="/access/tokens" class="card" id="new-token" label="Create a token">
          <h2>Create a token</h2>
          <div class="columns">
            <TextField
              name="name"
              label="Name"
              hint="Of the program or person, such as pipeline"
              value={typed.name}
              error={faultAt("name")}
              required
            />
            <SelectField
              name="place"
              label="Limited to"
              value={typed.place}
              options={[{ value: "", label: "everything" }, ...projects.flatMap(placesOf)]}
              error={faultAt("project") ?? faultAt("environment")}
            />
            <TextField
              name="expires"
              label="Expires after"
              hint="Such as 90d; empty for never"
              value={typed.expires}
              error={faultAt("expires") ?? faultAt("expiresAt")}
            />
          </div>
          <fieldset>
            <legend>Scopes</legend>
            {faultAt("scopes") && (
              <p class="error" id="scopes-error">
                {faultAt("scopes")}
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
                fault={faultAt("scopes") && "scopes-error"}
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

function TokenTable({ tokens }: { tokens: readonly Token[] }) {
  const { now } = useView();
  return (
    <Table
      caption="Tokens"
      rows={tokens}
      keyOf={({ name }) => `token-${name}`}
      columns={[
        { label: "Token", heading: true, cell: ({ name }) => name },
        { label: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
        {
          label: "Limited to",
          cell: ({ project, environment }) =>
            [project, environment].filter(Boolean).join(", ") || "everything",
        },
        { label: "Created", cell: ({ createdAt }) => <Time at={Date.parse(createdAt)} /> },
        {
          label: "Expires",
          cell: ({ expiresAt }) => {
            if (expiresAt === null) return "never";
            const at = Date.parse(expiresAt);
            return at <= now ? <Badge tone="bad">expired</Badge> : <Time at={at} />;
          },
        },
        {
          label: "Actions",
          isLabelUnseen: true,
          cell: ({ name }) => (
            <AskingButton
              to={`/access/tokens/${encodeURIComponent(name)}`}
              label={`Revoke the token ${name}`}
              question="Programs that use this token are refused at once, and it cannot be brought back."
              confirm={`Revoke ${name}`}
            >
              Revoke…
            </AskingButton>
          ),
        },
      ]}
    />
  );
}

/** Shows the secret of a new token, this one time. */
export function tokenPage({ name, scopes, token }: CreatedToken): Page {
  return {
    title: `New token ${name}`,
    section: "access",
    isSecret: true,
    back: { to: "/access/tokens", label: "Tokens" },
    commands: [
      {
        label: "Use it",
        text: "FORMFLAG_SERVER=https://forms.example.com FORMFLAG_TOKEN_FILE=token.txt formflag projects list",
      },
    ],
    content: (
      <div class="stack narrow">
        <Notice tone="warn">
          <p>{`This is shown this one time. It may ${scopes.join(", ")}.`}</p>
        </Notice>
        <pre id="token" tabindex={0}>
          {token}
        </pre>
        <div class="buttons">
          <CopyButton of="#token" />
          <ButtonLink to="/access/tokens" kind="primary">
            Done
          </ButtonLink>
        </div>
      </div>
    ),
  };
}
