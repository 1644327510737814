import { readUnit } from "../session/kept/unit.ts";
import { VERSION } from "../version.ts";
import { type Serving, fileAt, readServing } from "./serving.ts";

/** An executable other than this one that serves, and what to do; `isOther`: whether it may behave in another way. */
export type Difference = { message: string; hint: string; isOther: boolean };

/** How the server of a data directory, or the service that is to run there, differs from this executable; null if it does not. */
export function serverDifference(data: string): Difference | null {
  const serving = readServing(data);
  return serving === null ? serviceDifference(data) : runningDifference(serving);
}

function runningDifference({ version, executable }: Serving): Difference | null {
  const [own, { path, file } = { path: "", file: "" }] = [process.execPath, executable];
  const now = fileAt(path);
  if (executable && now !== file && now !== "")
    return {
      message: `the server runs formflag ${version}, and ${path} was replaced after its start; this is ${VERSION} of ${own}`,
      hint: "start the server again, with what is at that path now: systemctl restart formflag",
      isOther: true,
    };
  if (version === VERSION && (now === null || isOwn(path))) return null;
  return {
    message: `the server runs formflag ${version}${executable ? ` of ${path}` : ""}, and this is ${VERSION} of ${own}`,
    hint: `${executable ? `type ${path} for commands` : "use that one for commands"}, or start the server again with this one`,
    isOther: version !== VERSION,
  };
}

/** The same for the installed service, if it is the one of a data directory; null without one. */
export function serviceDifference(data: string | null): Difference | null {
  const unit = readUnit();
  if (unit === null || (data !== null && unit.data !== data) || isOwn(unit.executable)) return null;
  const isMissing = fileAt(unit.executable) === null;
  return {
    message: `the service runs ${unit.executable}${isMissing ? ", which does not exist" : ""}, and this is ${process.execPath}`,
    hint: `formflag service install makes the service run this one`,
    isOther: isMissing,
  };
}

/** Whether a path leads to the executable of this process. */
function isOwn(path: string): boolean {
  return fileAt(path) === fileAt(process.execPath);
}
