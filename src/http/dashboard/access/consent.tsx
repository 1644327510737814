import { hostOfRedirect, isDocumentId } from "../../../access/oauth/client.ts";
import type { GrantScope } from "../../../access/oauth/grant.ts";
import type { AuthorizationRequest } from "../../../access/oauth/request.ts";
import { SCOPE_WORDS } from "../../../access/scope.ts";
import type { Project } from "../../../projects/project.ts";
import type { Page } from "../page.tsx";
import { Facts } from "../parts/card.tsx";
import { CheckField, SelectField } from "../parts/field.tsx";
import { Form } from "../parts/link.tsx";
import { Fault, Notice } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { policyFor } from "../security.ts";
import { useView } from "../view.ts";
import { AnswerButtons } from "./parts.tsx";

/** The choice of a person; `project` is empty for every one. */
export type Choice = { scopes: readonly string[]; project: string; environment?: string | null };

type Shown = {
  asked: AuthorizationRequest;
  offered: readonly GrantScope[];
  projects: readonly Project[];
  choice: Choice;
  /** The path of the page with the request in its query. */
  to: string;
  fault?: string | undefined;
};

/** The page that asks a person to let an assistant act for them. */
export function consentPage(shown: Shown): Page {
  return {
    title: "Sign in an assistant",
    section: "me",
    isSecret: true,
    headers: { "Content-Security-Policy": policyFor(shown.asked.redirect) },
    content: <Consent {...shown} />,
  };
}

function Consent({ asked: { client, redirect }, offered, projects, choice, to, fault }: Shown) {
  const name = useView().caller?.name;
  return (
    <Form to={to} class="stack narrow" leaves values={{ user: name }}>
      <Fault message={fault} />
      <Notice tone="warn" title="Did you start this sign-in yourself, a moment ago?">
        <p>
          The assistant will act as {name}, with the rights that you choose here, until you end it on the page
          of your account. Deny it if a message brought you here.
        </p>
      </Notice>
      <ClientFacts client={client} redirect={redirect} />
      <SelectField
        name="project"
        label="Project"
        value={choice.project}
        options={[
          { value: "", label: "Every project that you see" },
          ...projects.map(({ slug, name }) => ({
            value: slug,
            label: name === slug ? slug : `${name} (${slug})`,
          })),
        ]}
      />
      <SelectField
        name="environment"
        label="Environment"
        hint="With one, the assistant sees its flags, and no forms."
        value={choice.environment ?? ""}
        options={[
          { value: "", label: "Every environment" },
          ...environmentsOf(projects).map((slug) => ({ value: slug, label: slug })),
        ]}
      />
      <fieldset class="stack">
        <legend>Rights</legend>
        {offered.map((scope) => (
          <CheckField
            name="scope"
            id={`scope-${scope}`}
            value={scope}
            label={`${scope}: ${SCOPE_WORDS[scope]}`}
            checked={choice.scopes.includes(scope)}
          />
        ))}
        {offered.length === 0 && <p>You have no right that you could give.</p>}
      </fieldset>
      <AnswerButtons mayAllow={offered.length > 0} />
    </Form>
  );
}

function ClientFacts({ client, redirect }: Pick<AuthorizationRequest, "client" | "redirect">) {
  const knownBy = isDocumentId(client.id) ? <Foreign text={client.id} /> : "what it says itself";
  return (
    <Facts
      facts={[
        ["Assistant", <Foreign text={client.name} />],
        ["Known by", knownBy],
        ["Goes on at", <Foreign text={hostOfRedirect(redirect)} />],
      ]}
    />
  );
}

/**
 * The page of a request that a client has to correct, with a link that takes the error there. It leads nowhere by itself: any
 * page could otherwise send people to an address of its choice by way of this server (RFC 9700, 4.11.2).
 */
export function mistakePage({
  client,
  redirect,
  message,
  answer,
}: Pick<AuthorizationRequest, "client" | "redirect"> & { message: string; answer: string }): Page {
  return {
    title: "This assistant cannot sign in",
    section: "me",
    status: 400,
    content: (
      <div class="stack narrow">
        <Fault message={message} />
        <ClientFacts client={client} redirect={redirect} />
        <div class="buttons">
          <a class="button" href={answer}>
            Go back to the assistant
          </a>
        </div>
      </div>
    ),
  };
}

/** The environments of any of the projects, each once. */
function environmentsOf(projects: readonly Project[]): string[] {
  return [...new Set(projects.flatMap(({ environments }) => environments.map(({ slug }) => slug)))];
}
