/** Summaries: what became of each resource of a save (R8-R10). */
import Type, { type TSchema } from 'typebox';
import type { Saved } from '#domain/signals/change';
import { closed } from '#protocol/schema';
import { type Version, versions } from '#protocol/version';
import { idSchema } from './resource-view.ts';

const created = Type.Boolean({ description: 'Whether it was created.' });

/** A summary without `updated`: of inserts, and of saves in 1.0 and 1.1beta1. */
export const createSummarySchema = closed({ id: idSchema, created });

const saveSummarySchema = closed({
  id: idSchema,
  created,
  updated: Type.Boolean({ description: 'Whether it existed and was changed.' }),
});

/** Whether the summaries of saves say `updated` in a version (R8). */
export function tellsUpdated(version: Version): boolean {
  return versions.indexOf(version) >= versions.indexOf('1.1beta2');
}

/** The schema of a result with one summary for each key of the request. */
export function summariesSchema(member: string, summary: TSchema) {
  return closed({ [member]: Type.Record(Type.String(), summary) });
}

/** The schema of a save's result in a version. */
export function savedSchema(member: string, version: Version) {
  return summariesSchema(member, tellsUpdated(version) ? saveSummarySchema : createSummarySchema);
}

/** Writes a save's summaries in the order of the request. */
export function printSaved(saved: ReadonlyMap<string, Saved>, version: Version): Record<string, object> {
  const all = tellsUpdated(version);
  return Object.fromEntries(
    [...saved].map(([key, { id, created, updated }]) => [
      key,
      all ? { id, created, updated } : { id, created },
    ]),
  );
}
