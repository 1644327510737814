/** The script of pages, of at most 2,048 bytes compressed: of two ways to write something it has the shorter one. */

type Result = { key: string; value?: unknown; variant?: string };
/** The JSON of an answer, and its assignment. */
type Answered = [json: string, assignment: string | null];
type State = { key?: string | undefined; undo?: (() => void)[]; isBusy?: boolean };
type Reply = { url?: string; message?: string; errors?: { field: string; message: string }[] };

const { src, dataset } = document.currentScript as HTMLScriptElement;
const base = src.replace(/\/v1\/flags[^/]*$/, "");
const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
const isPrivate = doNotTrack == "1" || globalPrivacyControl;
const NAME = "formflag";

let mayTrack = !isPrivate && dataset["consent"] != "required";
let flags: Map<string, Result> | undefined;
let assignment: string | null = null;
let id: string | undefined;
let batch: { exposures: string[]; events: string[] } | undefined;
let turn = 0;
const seen = new Set<string>();
/** The idempotency key of a form, what removes its faults, and whether it is being sent. */
const states = new WeakMap<HTMLFormElement, State>();

/** Runs what old browsers, blocked storage and broken JSON refuse. */
const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};
const random = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
const post = (url: string | URL, init: RequestInit) => fetch(url, { method: "POST", ...init });

const cover = attempt(() => {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  sheet.replaceSync("[data-flag]{visibility:hidden!important}");
  return sheet;
});

const count = (list: "exposures" | "events", name: string) => {
  if (!batch) {
    batch = { exposures: [], events: [] };
    void ready.then(() =>
      setTimeout(() => {
        const body = JSON.stringify({ assignment, ...batch });
        batch = undefined;
        if (assignment)
          post(`${base}/v1/events?key=${dataset["key"]}`, { body, keepalive: true }).catch(() => {});
      }),
    );
  }
  batch[list].push(name);
};

const read = (name: string): Result | undefined => {
  const result = flags?.get(name);
  if (result && !seen.has(name)) {
    seen.add(name);
    count("exposures", name);
  }
  return result;
};

const apply = () =>
  document.querySelectorAll<HTMLElement>("[data-flag]").forEach((element) => {
    const { flag, flagVariant } = element.dataset;
    const result = read(flag!);
    if (result)
      element.hidden = !(flagVariant ? flagVariant.split(" ").includes(result.variant || " ") : result.value);
  });

let settle: () => void;
const ready = new Promise<void>((resolve) => {
  settle = () => {
    apply();
    cover?.replaceSync("");
    resolve();
  };
});

/** Evaluates the flags. An answer in the tab counts at once, and the new one for the next page. */
const load = async () => {
  const mine = ++turn;
  const { key, storage, user, context } = dataset;
  const given: Record<string, unknown> = attempt(() => JSON.parse(context!) as Record<string, unknown>) || {};
  if (mayTrack) {
    const kept = () => (storage == "local" ? localStorage : sessionStorage);
    id ||= user || (storage != "none" && attempt(() => (kept()[NAME] ||= random()) as string)) || random();
    given["targetingKey"] = id;
  }
  const body = JSON.stringify({ context: given });
  const use = (answered?: Answered) => {
    if (mine == turn) {
      turn++;
      if (answered) {
        flags = new Map(
          (JSON.parse(answered[0]) as { flags: Result[] }).flags.map((each) => [each.key, each]),
        );
        assignment = mayTrack ? answered[1] : null;
      }
      settle();
    }
  };
  setTimeout(use, +(dataset["timeout"] || 800));
  const slot = key + body;
  const keeps = mayTrack && storage != "none";
  if (keeps)
    attempt(() => {
      const [of, ...answered] = JSON.parse(sessionStorage[`${NAME}-last`] as string) as [string, ...Answered];
      if (of == slot) use(answered);
    });
  try {
    const response = await post(`${base}/ofrep/v1/evaluate/flags`, { headers: { "X-API-Key": key! }, body });
    if (response.ok) {
      const answered: Answered = [await response.text(), response.headers.get("X-Formflag-Assignment")];
      use(answered);
      if (keeps && mayTrack)
        attempt(() => (sessionStorage[`${NAME}-last`] = JSON.stringify([slot, ...answered])));
    }
  } catch {}
  use();
};

const say = (form: HTMLFormElement, text: string) => {
  let place = form.querySelector('[role="status"]');
  if (!place) {
    form.append((place = document.createElement("p")));
    place.setAttribute("role", "status");
  }
  place.textContent = text;
};

const send = async (form: HTMLFormElement, state: State, url: URL, submitter: HTMLElement | null) => {
  const key = (state.key ||= random());
  const body = new FormData(form, submitter);
  if (assignment) body.set(`_${NAME}`, assignment);
  state.undo?.forEach((each) => each());
  state.undo = [];
  let response: Response | undefined;
  for (let tries = 0; ; tries++) {
    response = await post(url, { body, headers: { "Idempotency-Key": key } }).catch(() => undefined);
    if ((response && response.status != 429 && response.status < 500) || tries == 5) break;
    await new Promise((resolve) => {
      if (!response) addEventListener("online", resolve);
      setTimeout(
        resolve,
        Math.max(
          response ? 1000 * +response.headers.get("Retry-After")! : 0,
          500 * 2 ** tries * (1 + Math.random()),
        ),
      );
    });
  }
  const reply = ((await response?.json().catch(() => {})) || {}) as Reply;
  if (response && response.status < 429) state.key = undefined;
  if (!response?.ok) {
    for (const { field, message } of reply.errors || []) {
      const input = form.querySelector(`[name="${CSS.escape(field)}"]`);
      if (!input) continue;
      const note = document.createElement("span");
      note.id = `${NAME}-${random()}`;
      note.textContent = message;
      input.after(note);
      const before = input.getAttribute("aria-describedby") || "";
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", `${before} ${note.id}`);
      state.undo.push(() => {
        note.remove();
        input.removeAttribute("aria-invalid");
        input.setAttribute("aria-describedby", before);
      });
    }
    say(form, reply.message || "Not sent. Please try again.");
    form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    return;
  }
  const sent = new CustomEvent(`${NAME}:sent`, { bubbles: true, cancelable: true, detail: reply });
  if (!form.dispatchEvent(sent)) return;
  if (/^https?:/.test(reply.url!)) location.href = reply.url!;
  else {
    form.reset();
    say(form, reply.message!);
  }
};

addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const url = new URL(form.action, src);
  if (
    event.defaultPrevented ||
    form.dataset[NAME] == "off" ||
    form.method != "post" ||
    !/\/v1\/[sf]\/[^/]+$/.test(url.pathname)
  )
    return;
  event.preventDefault();
  const state: State = states.get(form) || {};
  if (state.isBusy) return;
  states.set(form, state);
  state.isBusy = true;
  url.pathname = url.pathname.replace("/v1/f/", "/v1/s/");
  url.searchParams.set("mode", "rest");
  void send(form, state, url, event.submitter).finally(() => (state.isBusy = false));
});

new MutationObserver(() => flags && apply()).observe(document, { childList: true, subtree: true });

(window as unknown as Record<string, unknown>)[NAME] = {
  ready,
  flag: (name: string, fallback: unknown) => read(name)?.value ?? fallback,
  variant: (name: string) => read(name)?.variant || undefined,
  track: (name: string) => count("events", name),
  consent: (isGiven: boolean) => {
    mayTrack = isGiven && !isPrivate;
    if (mayTrack) {
      seen.clear();
      return load();
    }
    id = assignment = null!;
    return attempt(() => {
      for (const kept of [localStorage, sessionStorage]) {
        delete kept[NAME];
        delete kept[`${NAME}-last`];
      }
    });
  },
};
void load();
