/** Signals, items, integrations and credentials for tests: everything has a value unless a test says otherwise. */
import type { Filter, ResourceQuery } from '#model/filter';
import { matchAll } from '#model/filter';
import type { Attributes, Item } from '#model/signal';
import { XidSource } from '#model/xid';
import type { Credential, Integration, NewSignal } from '#storage/meta-store';
import { FixedClock, SeededRandom } from './world.ts';

const ids = new XidSource(new FixedClock(), new SeededRandom());

/** An ID that no other call in this process gives. */
export function newId(): string {
  return ids.next();
}

/** Attributes as a bare save makes them, with changes. */
export function attributes(changes: Partial<Attributes> = {}): Attributes {
  return {
    name: 'name',
    description: '',
    valueType: 'numeric',
    sourceType: 'measurement',
    engUnit: '',
    sampleIntervalUs: null,
    gapDetectionUs: null,
    labels: new Map(),
    enumValues: new Map(),
    ...changes,
  };
}

/** A signal to be inserted. */
export function signal(integration: string, input: string, changes: Partial<NewSignal> = {}): NewSignal {
  return {
    id: newId(),
    integration,
    input,
    attributes: attributes({ name: input }),
    annotations: new Map(),
    item: null,
    createdAtMs: 1000,
    updatedAtMs: 1000,
    ...changes,
  };
}

/** An item. */
export function item(changes: Partial<Item> = {}): Item {
  return {
    id: newId(),
    attributes: attributes(),
    annotations: new Map(),
    visible: false,
    calculation: null,
    createdAtMs: 1000,
    updatedAtMs: 1000,
    ...changes,
  };
}

/** An integration. */
export function integration(changes: Partial<Integration> = {}): Integration {
  return {
    id: newId(),
    name: 'plant',
    grants: [],
    plan: 'default',
    createdAtMs: 1000,
    disabledAtMs: null,
    ...changes,
  };
}

/** A credential of an integration. */
export function credential(integration: string, changes: Partial<Credential> = {}): Credential {
  return {
    id: newId(),
    integration,
    type: 'client-credentials',
    label: 'laptop',
    secretSha256: '00'.repeat(32),
    createdAtMs: 1000,
    lastUsedAtMs: null,
    lastUsedFrom: null,
    expiresAtMs: null,
    ...changes,
  };
}

/** A query for all that match, in order of ID. */
export function query(filter: Filter = matchAll, changes: Partial<ResourceQuery> = {}): ResourceQuery {
  return { filter, sort: [], limit: 1000, skip: 0, total: false, ...changes };
}
