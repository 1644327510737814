import type { App, Store } from "../app.ts";
import { watchChanges } from "../base/changes.ts";
import { type Form, type NewForm, newForm, noSuchForm } from "./form.ts";

/** Makes a form with its key: enabled, uploads off. Throws `conflict` where the slug is taken. */
export function createForm(app: App, input: NewForm): Promise<Form> {
  return app.store.forms.insert(newForm(app, input));
}

/** The form of that slug or key. Throws `not_found`. */
export async function getForm(app: App, slugOrKey: string): Promise<Form> {
  const form = await app.store.forms.find(slugOrKey);
  if (!form) throw noSuchForm(slugOrKey);
  return form;
}

/** Finds forms by the key in their address, kept in memory while no setup changes. */
export function createFormFinder(
  store: Store,
): (key: string) => Form | undefined | Promise<Form | undefined> {
  const changes = watchChanges(store);
  const kept = new Map<string, { version: number; form: Form }>();
  const load = async (key: string) => {
    const version = await changes.look();
    const entry = kept.get(key);
    if (entry?.version === version) return entry.form;
    const form = await store.forms.findByKey(key);
    if (form) kept.set(key, { version, form });
    else kept.delete(key);
    return form;
  };
  return (key) => {
    const version = changes.known();
    const entry = kept.get(key);
    return entry && entry.version === version ? entry.form : load(key);
  };
}

/** Removes a form, its submissions and their files. Throws `not_found`. */
export async function deleteForm(app: App, slugOrKey: string): Promise<void> {
  const files = await app.store.forms.delete(slugOrKey);
  await app.blobs.delete(files);
}
