/** Editing some fields of signals that are there, as people do: what the edit does not name stays as it is (R8a). */
import { AppError } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import type { Attributes, Signal } from '#model/signal';
import type { MetaReads } from '#storage/store';
import { attributesOf, checkChange, mergeAnnotations, type Report, sameAttributes } from './attributes.ts';
import type { SignalChange } from './change.ts';
import { emptyPlan, type Plan } from './plan.ts';

/** What is to be changed, as read from the wire: well-typed, not yet checked against R2. */
export interface SignalEdit extends Omit<SignalChange, 'labels' | 'enumValues'> {
  /** Entries that are put in the place of those under the same key; null removes one. */
  labels?: ReadonlyMap<string, readonly string[] | null>;
  /** As labels. */
  enumValues?: ReadonlyMap<string, string | null>;
}

/** One signal of an edit; both are the same object where it changes nothing. */
export interface Edited {
  before: Signal;
  after: Signal;
}

/** What an edit means for the signals that a query selects. */
export interface EditOutcome {
  edited: Edited[];
  /** The number of all matches, when the query asked for it or it is known for free; else null. */
  total: number | null;
}

/** Checks an edit against R2; every problem is reported. */
export function checkEdit(edit: SignalEdit, report: Report): void {
  const labels = [...(edit.labels ?? none)].map(([key, values]) => [key, values ?? []] as const);
  const states = [...(edit.enumValues ?? none)].map(([key, text]) => [key, text ?? 'removed'] as const);
  checkChange({ ...edit, labels: new Map(labels), enumValues: new Map(states) }, report);
}

/** Works out what a checked edit means for the selected signals. `invalid-resource` where a signal would not keep to R2. */
export async function planEdit(
  reads: MetaReads,
  integration: string,
  query: ResourceQuery,
  edit: SignalEdit,
  nowMs: number,
): Promise<Plan<EditOutcome>> {
  const { records, total } = await reads.selectSignals(query, integration);
  const edited = records.map((before) => ({ before, after: editedSignal(before, edit, nowMs) }));
  const plan = emptyPlan({ edited, total });
  plan.changedSignals.push(...edited.filter(isChanged).map(({ after }) => after));
  return plan;
}

/** Whether the edit changes this signal. */
export function isChanged({ before, after }: Edited): boolean {
  return before !== after;
}

function editedSignal(signal: Signal, edit: SignalEdit, nowMs: number): Signal {
  const attributes = editedAttributes(signal, edit);
  const annotations = mergeAnnotations(signal.annotations, edit.annotations);
  if (annotations === signal.annotations && sameAttributes(attributes, signal.attributes)) return signal;
  if (edit.labels !== undefined) refuseTooManyLabels(signal, attributes);
  return { ...signal, attributes, annotations, updatedAtMs: nowMs };
}

function editedAttributes({ attributes }: Signal, { labels, enumValues, ...plain }: SignalEdit): Attributes {
  const named = Object.entries(plain).filter(([, value]) => value !== undefined);
  const change: SignalChange = {
    ...attributes,
    ...Object.fromEntries(named),
    labels: merged(attributes.labels, labels),
    enumValues: merged(attributes.enumValues, enumValues),
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
function refuseTooManyLabels({ input }: Signal, { labels }: Attributes): void {
  checkChange({ labels }, (path, message) => {
    throw new AppError(
      'invalid-resource',
      `Would produce an invalid resource: signal ${input}: ${path} ${message}`,
    );
  });
}

const none: ReadonlyMap<string, never> = new Map<string, never>();
