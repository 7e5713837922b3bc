/** The parameter `integration`: whose signals a call is about (A3). */
import Type from 'typebox';
import { AppError, invalidParams } from '#model/error';
import type { Call } from '#protocol/method';
import type { Integrations } from './domain.ts';

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

/** In the `admin` namespace any integration may be named that there is; `invalid-params` otherwise. */
export async function requireKnown(integrations: Integrations, integration: string): Promise<void> {
  const known = await integrations.listIntegrations();
  if (known.some(({ id }) => id === integration)) return;
  throw invalidParams({ integration: [`no such integration, got "${integration}"`] });
}
