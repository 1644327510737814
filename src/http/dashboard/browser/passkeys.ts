import { sentence } from "../../../base/shapes/words.ts";

/** Adds passkeys, signs in and approves by them: the forms `data-passkey`, on the pages that have some. */
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset["passkey"] === undefined) return;
    event.preventDefault();
    void send(form);
  },
  true,
);

async function send(form: HTMLFormElement): Promise<void> {
  if (form.ariaBusy === "true") return;
  const say = (text: string) => (form.querySelector("[data-fault]")!.textContent = text);
  if (!("parseCreationOptionsFromJSON" in (window.PublicKeyCredential ?? {})))
    return void say("This browser has no passkeys here. They need HTTPS, or the address http://localhost.");
  form.ariaBusy = "true";
  say("");
  try {
    await (form.dataset["passkey"] === "add" ? add(form) : use(form));
  } catch (error) {
    say(textOf(error));
  }
  form.ariaBusy = null;
}

async function add(form: HTMLFormElement): Promise<void> {
  const options = await post(`${pathOf(form)}/options`, {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey });
  await post(pathOf(form), { name: fieldOf(form, "name"), credential: jsonOf(credential) });
  form.reset();
  location.reload();
}

async function use(form: HTMLFormElement): Promise<void> {
  const fields = Object.fromEntries(new FormData(form));
  const options = await post(`${pathOf(form)}/options`, fields);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey });
  const { to } = await post(pathOf(form), { ...fields, credential: jsonOf(credential) });
  location.assign(to!);
}

const pathOf = (form: HTMLFormElement) => form.getAttribute("action")!;
const fieldOf = (form: HTMLFormElement, name: string) => new FormData(form).get(name);
const jsonOf = (credential: Credential | null) => (credential as PublicKeyCredential).toJSON() as unknown;

type Answer = { error?: { message: string; hint: string | null }; to?: string };

async function post(path: string, body: object): Promise<Answer> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const value = (await answer.json()) as Answer;
  if (value.error) throw new Error(value.error.message);
  return value;
}

/** A message of the server, or one for how the browser names what happened. */
function textOf(error: unknown): string {
  const { name, message } = error as Error;
  if (name === "NotAllowedError") return "No passkey was used.";
  if (name === "TypeError") return "The server does not answer. Try again.";
  if (name === "InvalidStateError") return "This device has a passkey of yours already.";
  return sentence(message);
}
