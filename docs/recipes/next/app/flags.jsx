"use client";

import { OpenFeature, OpenFeatureProvider } from "@openfeature/react-sdk";
import { FormflagWebProvider } from "@formflag/openfeature/web";

const domains = new Set();

export function Flags({ bootstrap, context, children }) {
  // On the server, visitors with the same values share a domain.
  const domain = bootstrap.id;
  if (!domains.has(domain)) {
    domains.add(domain);
    const url = process.env.NEXT_PUBLIC_FLAGS_URL;
    const token = process.env.NEXT_PUBLIC_FLAGS_KEY;
    OpenFeature.setProvider(domain, new FormflagWebProvider({ url, token, bootstrap }), context);
  }
  return <OpenFeatureProvider domain={domain}>{children}</OpenFeatureProvider>;
}
