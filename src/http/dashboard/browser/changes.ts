import { ask, isAtNoAddress, isChanged, isShown, mainOf, notify, parse, served, show } from "./document.ts";

/** Milliseconds that changes are collected before the page is loaded again. */
const PAUSE = 150;
/** Milliseconds between two signs of life of the tab that holds the stream. */
const BEAT = 5000;

/**
 * Keeps the page up to date by the server's stream of events. Of all tabs, the last to become visible holds it and
 * passes on what comes: with HTTP/1.1 a browser has six connections to a host, and further tabs would not load.
 */
export function listenToChanges(): void {
  const address = document.body.dataset["events"];
  if (!address) return;
  const tabs = new BroadcastChannel(`formflag ${address.split("?")[0]}`);
  let source: EventSource | undefined;
  let heardAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasLost = false;
  let today = new Date().getDate();

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void update(), PAUSE);
  };
  const receive = (topic: string) => {
    // A tab in the background loads again once it is looked at.
    if (document.hidden) return;
    if (mainOf()?.dataset["topics"]?.split(" ").includes(topic)) later();
  };
  const release = () => {
    source?.close();
    source = undefined;
  };
  const claim = () => {
    if (document.hidden || source) return;
    tabs.postMessage("mine");
    source = new EventSource(address);
    source.addEventListener("message", ({ data }) => {
      receive(String(data));
      tabs.postMessage(data);
    });
    source.addEventListener("open", () => {
      notify("lost", null);
      if (wasLost) later();
      wasLost = false;
    });
    source.addEventListener("error", () => {
      wasLost = true;
      notify("lost", "Not connected. Trying again …");
      if (source?.readyState === EventSource.CLOSED) source = undefined;
    });
  };
  tabs.addEventListener("message", ({ data }) => {
    heardAt = Date.now();
    if (data === "mine") release();
    else receive(String(data));
  });
  setInterval(() => {
    // Times of today are shown without a date.
    if (today !== (today = new Date().getDate())) later();
    if (source) tabs.postMessage("mine");
    else if (Date.now() - heardAt > 2 * BEAT) claim();
  }, BEAT);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return release();
    claim();
    later();
  });
  addEventListener("pagehide", release);
  claim();
}

/** Loads the page again, and shows it; while the user types or points at a row, a notice offers it instead. */
async function update(): Promise<void> {
  if (isAtNoAddress()) return;
  const [address, before] = [location.href, served()];
  const answer = await ask(address);
  const text = await answer?.text().catch(() => null);
  // The result of an own action, shown since, is newer.
  if (!answer || !text || answer.redirected || location.href !== address || served() !== before) return;
  if (answer.status === 404) return notify("changed", "This page does not exist any more.");
  const next = parse(text);
  // After an own action the page shows its result already.
  if (!answer.ok || isShown(next)) return;
  const run = () => show(next, { isUpdate: true });
  const isPointedAt = "main .submissions li:hover, main :is(tbody tr, .items li, .pane):hover";
  const isBusy = document.querySelector(`dialog[open], ${isPointedAt}`) !== null;
  if (!isBusy && ![...document.forms].some(isChanged)) return run();
  const count = rowsOf(next).filter(({ id }) => !document.getElementById(id)).length;
  notify("changed", count > 0 ? `${count} new` : "This page has changed.", { label: "Show", run });
}

const rowsOf = (page: Document) => [...page.querySelectorAll("main :is(tr, li)[id]")];
