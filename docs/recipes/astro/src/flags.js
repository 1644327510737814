import { FormflagEdge } from "@formflag/openfeature/edge";

let flags;

export async function loadFlags() {
  flags ??= new FormflagEdge({ url: process.env.FLAGS_URL, token: process.env.FLAGS_TOKEN });
  await flags.load();
  return flags;
}
