/** Editing some fields of signals and items that are there, as people do: what the edit does not name stays as it is (R8a). */
import { AppError, invalidParams } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import type { Attributes, Item, Signal } from '#model/signal';
import {
  attributesOf,
  checkChange,
  mergeAnnotations,
  type Report,
  sameAttributes,
  withEnumKeys,
} from './attributes.ts';
import type { ItemChange, SignalChange } from './change.ts';
import { emptyPlan, type Plan, type ResourceReads } from './plan.ts';

/** What is to be changed, as read from the wire: well-typed, not yet checked against R2. */
export interface ResourceEdit extends Omit<ItemChange, 'labels' | 'enumValues'> {
  /** Entries that are put in the place of those under the same key; null removes one. */
  labels?: ReadonlyMap<string, readonly string[] | null>;
  /** As labels. */
  enumValues?: ReadonlyMap<string, string | null>;
}

/** One resource of an edit; both are the same object where it changes nothing. */
export interface Edited<T> {
  before: T;
  after: T;
}

/** What an edit means for the resources that a query selects. */
export interface EditOutcome<T> {
  edited: Edited<T>[];
  /** The number of all matches, when the query asked for it or it is known for free; else null. */
  total: number | null;
}

/** Checks an edit against R2; every problem is reported. */
export function checkEdit(edit: ResourceEdit, report: Report): void {
  const labels = [...(edit.labels ?? none)].map(([key, values]) => [key, values ?? []] as const);
  const states = [...(edit.enumValues ?? none)].map(([key, text]) => [key, text ?? 'removed'] as const);
  checkChange({ ...edit, labels: new Map(labels), enumValues: new Map(states) }, report);
}

/** Works out what a checked edit means for the selected signals; `visible` means nothing to them. `invalid-resource` where one would not keep to R2. */
export async function planSignalEdit(
  reads: ResourceReads,
  integration: string,
  query: ResourceQuery,
  edit: ResourceEdit,
  nowMs: number,
): Promise<Plan<EditOutcome<Signal>>> {
  const { records, total } = await reads.signals.select(query, integration);
  const edited = records.map((before) => ({ before, after: editedResource(before, edit, nowMs) }));
  const plan = emptyPlan({ edited, total });
  plan.changedSignals.push(...edited.filter(isChanged).map(({ after }) => after));
  return plan;
}

/** As {@link planSignalEdit}, for items. */
export async function planItemEdit(
  reads: ResourceReads,
  query: ResourceQuery,
  edit: ResourceEdit,
  nowMs: number,
): Promise<Plan<EditOutcome<Item>>> {
  const { records, total } = await reads.items.select(query);
  for (const item of records) refuseInterval(item, edit);
  const edited = records.map((before) => ({ before, after: editedItem(before, edit, nowMs) }));
  const plan = emptyPlan({ edited, total });
  plan.changedItems.push(...edited.filter(isChanged).map(({ after }) => after));
  return plan;
}

/** The interval of a calculated item is that of its calculation (C4). */
function refuseInterval({ id, attributes, calculation }: Item, { sampleIntervalUs }: ResourceEdit): void {
  if (calculation === null || sampleIntervalUs === undefined) return;
  if (sampleIntervalUs === attributes.sampleIntervalUs) return;
  const problem = `the interval of ${id} is part of its calculation: save that with another one`;
  throw invalidParams({ 'change.sampleInterval': [problem] });
}

/** Whether the edit changes this resource. */
export function isChanged({ before, after }: Edited<unknown>): boolean {
  return before !== after;
}

function editedItem(item: Item, edit: ResourceEdit, nowMs: number): Item {
  const edited = editedResource(item, edit, nowMs);
  const { visible = item.visible } = edit;
  return visible === item.visible ? edited : { ...edited, visible, updatedAtMs: nowMs };
}

function editedResource<T extends Signal | Item>(resource: T, edit: ResourceEdit, nowMs: number): T {
  const attributes = editedAttributes(resource.attributes, edit);
  const annotations = mergeAnnotations(resource.annotations, edit.annotations);
  if (annotations === resource.annotations && sameAttributes(attributes, resource.attributes))
    return resource;
  if (edit.labels !== undefined) refuseTooManyLabels(resource, attributes);
  return { ...resource, attributes, annotations, updatedAtMs: nowMs };
}

function editedAttributes(
  attributes: Attributes,
  { labels, enumValues, ...plain }: ResourceEdit,
): Attributes {
  const named = Object.entries(plain).filter(([, value]) => value !== undefined);
  const change: SignalChange = {
    ...attributes,
    ...Object.fromEntries(named),
    labels: merged(attributes.labels, labels),
    enumValues: merged(attributes.enumValues, withEnumKeys(enumValues ?? none)),
  };
  return attributesOf(change, attributes.name);
}

function merged<V>(
  stored: ReadonlyMap<string, V>,
  edit: ReadonlyMap<string, V | null> | undefined,
): ReadonlyMap<string, V> {
  const all = new Map<string, V | null>([...stored, ...(edit ?? none)]);
  return new Map([...all].flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])));
}

/** What the edit says was checked; together with what is there it may still be too much (R2c). */
function refuseTooManyLabels({ id }: Signal | Item, { labels }: Attributes): void {
  checkChange({ labels }, (path, message) => {
    throw new AppError('invalid-resource', `Would produce an invalid resource: ${id}: ${path} ${message}`);
  });
}

const none: ReadonlyMap<string, never> = new Map<string, never>();
