/** Schemas that several of the console's methods use, and records in the form of a schema. */
import Type, { type Static, type TObject } from 'typebox';
import { nullable } from '#protocol/schema';
import { printDateOrNull } from '../attributes-view.ts';

/** What a view is made of: its members under the same names, dates such as `createdAt` as `createdAtMs`. */
type Source<View> = {
  [Name in keyof View as Name extends `${string}At` ? `${Name}Ms` : Name]: Name extends `${string}At`
    ? number | Extract<View[Name], null>
    : View[Name];
};

/** A record as a schema has it: its members and no others. */
export function viewAs<S extends TObject>({ properties }: S, record: Readonly<Source<Static<S>>>): Static<S> {
  const members: Readonly<Record<string, unknown>> = record;
  const entries = Object.keys(properties).map((name) => {
    return [name, name.endsWith('At') ? printDateOrNull(members[`${name}Ms`] as number) : members[name]];
  });
  return Object.fromEntries(entries) as Static<S>;
}

/** A date: RFC 3339, UTC. */
export const dateSchema = Type.String({ description: 'RFC 3339, UTC.' });

/** A date, or null. */
export function dateOrNull(meaning: string) {
  return nullable(Type.String(), { description: `RFC 3339, UTC; null: ${meaning}.` });
}

/** The ID of a record. */
export function idParam(of: string) {
  return Type.String({ pattern: '^[a-v0-9]{20}$', description: `ID of the ${of}.` });
}

/** IDs of records. */
export function idsParam(of: string, maxItems: number) {
  const [first, ...others] = of;
  const description = `${first.toUpperCase()}${others.join('')} IDs; unknown ones are left out.`;
  return Type.Array(idParam(of), { maxItems, description });
}

/** What a person may do. */
export const roleSchema = Type.Enum(['admin', 'viewer'], {
  description: '"admin": may do everything; "viewer": may read everything and change nothing.',
});

/** The namespaces that an integration may be given. */
export const grantSchema = Type.Enum(['admin', 'service'], {
  description: 'A namespace in addition to "integration", which every integration has.',
});

/** Nodes whose part is missing from an answer. */
export const silentNodesSchema = Type.Array(Type.String(), {
  description: 'Names of nodes that did not answer, whose part is missing here.',
});
