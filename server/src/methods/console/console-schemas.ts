/** Schemas that several of the console's methods use. */
import Type from 'typebox';
import { nullable } from '#protocol/schema';

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
