import { isChanged, notify, parse, show } from "./document.ts";

/** Milliseconds that changes are collected before the page is loaded again. */
const PAUSE = 150;

/** Keeps the page up to date by the server's stream of events, which only the visible tab holds. */
export function listenToChanges(): void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasLost = false;

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void update(), PAUSE);
  };
  const connect = () => {
    const address = document.body.dataset["events"];
    if (!address || document.visibilityState !== "visible" || source) return;
    source = new EventSource(address);
    source.addEventListener("message", ({ data }) => {
      if (document.querySelector("main")?.dataset["topics"]?.split(" ").includes(String(data))) later();
    });
    source.addEventListener("open", () => {
      notify("lost", null);
      if (wasLost) later();
      wasLost = false;
    });
    source.addEventListener("error", () => {
      wasLost = true;
      notify("lost", "Not connected. Trying again …");
      if (source?.readyState !== EventSource.CLOSED) return;
      source = undefined;
      setTimeout(connect, 2000);
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      connect();
      later();
      return;
    }
    source?.close();
    source = undefined;
  });
  addEventListener("pagehide", () => source?.close());
  connect();
}

/** Loads the page again, and shows it unless that would disturb somebody: then they decide when. */
async function update(): Promise<void> {
  const address = location.href;
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok || answer.redirected || location.href !== address) return;
  const next = parse(await answer.text());
  const run = () => show(next, { isUpdate: true });
  const isTyping = [...document.forms].some(isChanged) || document.querySelector("dialog[open]") !== null;
  const isPointing = document.querySelector("main tbody tr:hover, main .items li:hover") !== null;
  if (isTyping || isPointing)
    notify("changed", isTyping ? "This page has changed meanwhile." : "There is something new.", {
      label: "Show",
      run,
    });
  else run();
}
