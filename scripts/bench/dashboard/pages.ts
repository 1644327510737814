import type { Filled } from "./data.ts";

/** A page that is measured, by its paths, which take turns; milliseconds to its first byte that 95 of 100 may take. */
export type MeasuredPage = { name: string; paths: string[]; goal: number };

/** The pages of the dashboard that people look at most, and those that are hardest with much data. */
export function measuredPages({ newest, middle }: Filled): MeasuredPage[] {
  const page = (name: string, goal: number, ...paths: string[]): MeasuredPage => ({
    name,
    goal,
    paths: paths.map((path) => `/dashboard${path}`),
  });
  return [
    page("overview", 15, ""),
    page("inbox", 20, "/inbox"),
    page("inbox of a form", 20, "/inbox/contact"),
    page("inbox, in the middle", 20, `/inbox?before=${middle}`),
    page("inbox of a form, in the middle", 20, `/inbox/contact?before=${middle}`),
    page("unread of a form, in the middle", 60, `/inbox/contact?unread=1&before=${middle}`),
    page("inbox of a day, 20 days ago", 60, `/inbox?since=${dayBefore(20)}&until=${dayBefore(19)}`),
    page("search", 60, ...SEARCHES.map((q) => `/inbox/contact?q=${q}`)),
    page("search in all forms", 60, ...SEARCHES.map((q) => `/inbox?q=${q}`)),
    page("submission", 20, `/inbox/contact/${newest}`, `/inbox/contact/${middle}`),
    page("person", 60, "/people?q=person4711%40example.com"),
    page("flags, 200 in 3 environments", 25, "/projects/shop"),
    page("flag in an environment", 25, "/projects/shop/flags/flag-00100?environment=production"),
    page("history", 20, "/projects/shop/history"),
    page("history, in the middle", 20, "/projects/shop/history?before=300"),
    page("deliveries", 20, "/deliveries?status=delivered"),
  ];
}

/** Frequent and rare words, several, a prefix, and one without a match. */
const SEARCHES = ["w0", "wf3k", "w0+w1+w2", "w7+wf3", "w1+nobody", "emre", "person4711"];

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
