/** The parameter `integration`: whose signals a call is about (A3). */
import Type from 'typebox';
import type { Identity } from '#domain/identity/identity';
import { AppError, invalidParams } from '#model/error';
import type { Call } from '#protocol/method';

/** An integration's ID. */
export const integrationSchema = Type.String({
  pattern: '^[a-v0-9]{20}$',
  description: 'Integration ID.',
});

/** In the `integration` namespace a caller acts on its own signals only; `not-permitted` otherwise. */
export function requireOwn(call: Call, integration: string): void {
  if (integration === call.caller.integration) return;
  throw new AppError('not-permitted', 'Operation not permitted', {
    detail: `integration ${call.caller.integration} named ${integration} as its own`,
  });
}

/** In the `admin` namespace a call may name any existing integration; `invalid-params` otherwise. */
export function requireKnown(identity: Pick<Identity, 'knows'>, integration: string): void {
  if (identity.knows(integration)) return;
  throw invalidParams({ integration: [`no such integration, got "${integration}"`] });
}
