/** Schemas that several of the console's methods use. */
import Type from 'typebox';
import { strict } from '#protocol/schema';

/** A date: RFC 3339, UTC. */
export const dateSchema = Type.String({ description: 'RFC 3339, UTC.' });

/** A date, or null. */
export function dateOrNull(meaning: string) {
  return Type.Union([Type.String(), Type.Null()], { description: `RFC 3339, UTC; null: ${meaning}.` });
}

/** The ID of a record. */
export function idParam(of: string) {
  return Type.String({ pattern: '^[a-v0-9]{20}$', description: `ID of the ${of}.` });
}

/** What a person may do. */
export const roleSchema = Type.Enum(['admin', 'viewer'], {
  description: '"admin": everything; "viewer": look at everything, change nothing.',
});

/** The namespaces that an integration may be given. */
export const grantSchema = Type.Enum(['admin', 'service'], {
  description: 'A namespace beside "integration", which every integration has.',
});

/** The result of methods that return nothing. */
export const doneSchema = Type.Object({}, strict);
