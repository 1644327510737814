import { raw } from "../markup.ts";
import activity from "lucide-static/icons/activity.svg" with { type: "text" };
import alert from "lucide-static/icons/triangle-alert.svg" with { type: "text" };
import archive from "lucide-static/icons/archive.svg" with { type: "text" };
import arrowDown from "lucide-static/icons/arrow-down.svg" with { type: "text" };
import arrowLeft from "lucide-static/icons/arrow-left.svg" with { type: "text" };
import arrowRight from "lucide-static/icons/arrow-right.svg" with { type: "text" };
import arrowUp from "lucide-static/icons/arrow-up.svg" with { type: "text" };
import beaker from "lucide-static/icons/flask-conical.svg" with { type: "text" };
import bell from "lucide-static/icons/bell.svg" with { type: "text" };
import book from "lucide-static/icons/book-open.svg" with { type: "text" };
import check from "lucide-static/icons/check.svg" with { type: "text" };
import chevronDown from "lucide-static/icons/chevron-down.svg" with { type: "text" };
import clock from "lucide-static/icons/clock.svg" with { type: "text" };
import code from "lucide-static/icons/code.svg" with { type: "text" };
import copy from "lucide-static/icons/copy.svg" with { type: "text" };
import download from "lucide-static/icons/download.svg" with { type: "text" };
import ellipsis from "lucide-static/icons/ellipsis.svg" with { type: "text" };
import file from "lucide-static/icons/paperclip.svg" with { type: "text" };
import flag from "lucide-static/icons/flag.svg" with { type: "text" };
import forms from "lucide-static/icons/clipboard-list.svg" with { type: "text" };
import history from "lucide-static/icons/history.svg" with { type: "text" };
import home from "lucide-static/icons/layout-dashboard.svg" with { type: "text" };
import inbox from "lucide-static/icons/inbox.svg" with { type: "text" };
import info from "lucide-static/icons/info.svg" with { type: "text" };
import key from "lucide-static/icons/key-round.svg" with { type: "text" };
import lock from "lucide-static/icons/lock.svg" with { type: "text" };
import logOut from "lucide-static/icons/log-out.svg" with { type: "text" };
import plus from "lucide-static/icons/plus.svg" with { type: "text" };
import proposal from "lucide-static/icons/git-pull-request.svg" with { type: "text" };
import ramp from "lucide-static/icons/chart-no-axes-column-increasing.svg" with { type: "text" };
import reply from "lucide-static/icons/reply.svg" with { type: "text" };
import search from "lucide-static/icons/search.svg" with { type: "text" };
import send from "lucide-static/icons/send.svg" with { type: "text" };
import settings from "lucide-static/icons/settings.svg" with { type: "text" };
import shield from "lucide-static/icons/shield-alert.svg" with { type: "text" };
import terminal from "lucide-static/icons/terminal.svg" with { type: "text" };
import trash from "lucide-static/icons/trash-2.svg" with { type: "text" };
import user from "lucide-static/icons/circle-user-round.svg" with { type: "text" };
import x from "lucide-static/icons/x.svg" with { type: "text" };
import users from "lucide-static/icons/users.svg" with { type: "text" };

const ICONS = {
  activity,
  alert,
  archive,
  arrowDown,
  arrowLeft,
  arrowRight,
  arrowUp,
  beaker,
  bell,
  book,
  check,
  chevronDown,
  clock,
  code,
  copy,
  download,
  ellipsis,
  file,
  flag,
  forms,
  history,
  home,
  inbox,
  info,
  key,
  lock,
  logOut,
  plus,
  proposal,
  ramp,
  reply,
  search,
  send,
  settings,
  shield,
  terminal,
  trash,
  user,
  users,
  x,
} as const;

export type IconName = keyof typeof ICONS;

/** `tiny` is for a line of small text, and `tiny lock` stands with the name of an environment. */
const KINDS = ["", "tiny", "tiny lock"] as const;

type IconKind = (typeof KINDS)[number];

/** Each icon with its shapes, in each kind. */
const ELEMENTS = Object.fromEntries(
  Object.entries(ICONS).map(([name, text]) => {
    const shapes = /<svg[^>]*>(.*)<\/svg>/s.exec(text)![1]!.replace(/\s+/g, " ").trim();
    const iconOf = (kind: IconKind) =>
      raw(
        `<svg class="${kind === "" ? "icon" : `icon ${kind}`}" viewBox="0 0 24 24" aria-hidden="true">${shapes}</svg>`,
      );
    return [name, Object.fromEntries(KINDS.map((kind) => [kind, iconOf(kind)]))];
  }),
) as Record<IconName, Record<IconKind, ReturnType<typeof raw>>>;

/** An icon beside a text that says the same: it is hidden from those who listen. */
export function Icon({ name, kind = "" }: { name: IconName; kind?: IconKind }) {
  return ELEMENTS[name][kind];
}
