/** What the tests of lettered statements share: a service in this process, and short ways to ask it. */
import assert from 'node:assert/strict';
import type { CallOptions, FaultBody } from '../../support/http.ts';
import type { ServiceUnderTest } from '../../support/service.ts';

/** The result of a call that must succeed. */
export async function resultOf(
  service: ServiceUnderTest,
  method: string,
  params?: unknown,
  options?: CallOptions,
) {
  const { result, error } = await service.call(method, params, options);
  assert.equal(error, undefined, JSON.stringify(error));
  return result;
}

/** The error of a call that must fail. */
export async function errorOf(
  service: ServiceUnderTest,
  method: string,
  params?: unknown,
  options?: CallOptions,
): Promise<FaultBody> {
  const { error } = await service.call(method, params, options);
  assert.ok(error !== undefined, 'the call succeeded');
  return error;
}

/** The paths at which a call's parameters are invalid, each with its first message; the call must fail with -32602. */
export async function problemsOf(
  service: ServiceUnderTest,
  method: string,
  params?: unknown,
  options?: CallOptions,
): Promise<Record<string, string | undefined>> {
  const { code, data } = await errorOf(service, method, params, options);
  assert.equal(code, -32602);
  return Object.fromEntries(Object.entries(data.params ?? {}).map(([path, [message]]) => [path, message]));
}

/** Saves a signal, publishes it with the same fields and `visible`, inserts `[time, value]` rows; the IDs of both. */
export async function publish(
  service: ServiceUnderTest,
  input: string,
  { visible, ...fields }: { visible?: boolean; [field: string]: unknown },
  rows: readonly (readonly [string, number | null])[] = [],
): Promise<{ signal: string; item: string }> {
  const { integration } = service;
  const saved = await resultOf(service, 'integration.saveSignals', {
    integration,
    signalsByInput: { [input]: fields },
  });
  const signal: string = saved.signalsByInput[input].id;
  const published = await resultOf(service, 'admin.publishSignals', {
    integration,
    itemsBySignal: { [signal]: { ...fields, visible } },
  });
  const data = { times: rows.map(([time]) => time), series: { [input]: rows.map(([, value]) => value) } };
  await resultOf(service, 'integration.insert', { integration, data });
  return { signal, item: published.itemsBySignal[signal].id };
}
