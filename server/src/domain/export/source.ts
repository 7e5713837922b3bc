/** The items or signals of an export, looked up a page at a time in the order of their IDs. */
import { invalidParams } from '#model/error';
import type { Filter, ResourceQuery } from '#model/filter';
import { quote } from '#model/problem-list';
import type { Signal } from '#model/signal';
import type { FedItem, MetaReads } from '#storage/meta-store';
import type { InputItems } from '../query/derived.ts';
import { pagesById } from '../signals/pages.ts';
import { describeUnknownItems } from '../signals/unknown-ids.ts';
import type { ExportRequest } from './request.ts';

/** An item with the signals that feed it, or a signal as if it were an item of its own. */
export interface ExportSource extends FedItem {
  /** Null: it is an item. */
  signal: Signal | null;
}

/** Reading metadata. */
export type ExportMeta = Pick<MetaReads, 'signals' | 'items' | 'calculationVersions'>;

/** Resources of one page. */
const pageMax = 256;

/** Pages of the sources, by ID ascending, from `fromId` on. `invalid-params` when an ID is unknown. */
export async function* sourcePages(
  meta: ExportMeta,
  request: ExportRequest,
  fromId: string,
  signal: AbortSignal,
): AsyncGenerator<ExportSource[], void, void> {
  if (request.ids !== null) {
    const named = await namedSources(meta, request);
    yield* pagesOf(named.sort((a, b) => (a.id < b.id ? -1 : 1)).filter(({ id }) => id >= fromId));
    return;
  }
  const paging = { filter: request.filter, fromId, pageMax };
  yield* pagesById(paging, (query) => selectSources(meta, request, query, signal));
}

/** Those of the request that are calculated, by ID ascending; without unknown IDs. */
export async function calculatedSources(
  meta: ExportMeta,
  { subject, ids, filter }: ExportRequest,
  signal: AbortSignal,
): Promise<ExportSource[]> {
  const known = subject === 'items' ? await meta.items.calculated() : [];
  const values = known.map(({ id }) => id).filter((id) => ids?.includes(id) ?? true);
  if (values.length === 0) return [];
  const isOne: Filter = { op: 'in', path: { field: 'id' }, values };
  const calculated: Filter = { op: 'and', filters: [filter, isOne] };
  const query = { filter: calculated, sort: [], limit: values.length, skip: 0, total: false };
  return (await meta.items.selectFed(query, signal)).records.map(sourceOfItem);
}

function* pagesOf(sources: readonly ExportSource[]): Generator<ExportSource[]> {
  for (let start = 0; start < sources.length; start += pageMax) yield sources.slice(start, start + pageMax);
}

/** At most `columnsMax` sources for the wide form, in the order of the request; `invalid-params` when there are more. */
export async function wideSources(
  meta: ExportMeta,
  request: ExportRequest,
  columnsMax: number,
  signal: AbortSignal,
): Promise<ExportSource[]> {
  if (request.ids !== null) return requireFew(await namedSources(meta, request), request, columnsMax);
  const sources: ExportSource[] = [];
  for await (const page of sourcePages(meta, request, '', signal)) {
    sources.push(...page);
    requireFew(sources, request, columnsMax);
  }
  return sources;
}

function requireFew(sources: ExportSource[], { subject }: ExportRequest, max: number): ExportSource[] {
  if (sources.length <= max) return sources;
  const problem = `the wide form has at most ${max} ${subject}, got ${sources.length} or more; choose form=long, or fewer`;
  throw invalidParams({ [subject]: [problem] });
}

/** The sources that the request names, in its order. */
export async function namedSources(meta: ExportMeta, request: ExportRequest): Promise<ExportSource[]> {
  const { subject } = request;
  const ids = request.ids ?? [];
  const found =
    subject === 'items'
      ? (await meta.items.fedById(ids)).map(sourceOfItem)
      : (await meta.signals.byId(ids)).map(sourceOfSignal);
  const byId = new Map(found.map((source) => [source.id, source]));
  const unknown = ids.filter((id) => !byId.has(id));
  if (unknown.length > 0) throw invalidParams({ [subject]: await problemsOf(meta, request, unknown) });
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** What is wrong with the first few unknown IDs. */
async function problemsOf(meta: ExportMeta, { subject }: ExportRequest, ids: readonly string[]) {
  const some = ids.slice(0, 10);
  if (subject === 'signals') return some.map((id) => `no signal has the ID ${quote(id)}`);
  const described = await describeUnknownItems(meta, some);
  return some.map((id) => `${quote(id)}: ${described.get(id)}`);
}

async function selectSources(
  meta: ExportMeta,
  { subject }: ExportRequest,
  query: ResourceQuery,
  signal: AbortSignal,
): Promise<{ records: ExportSource[] }> {
  return subject === 'items'
    ? { records: (await meta.items.selectFed(query, signal)).records.map(sourceOfItem) }
    : { records: (await meta.signals.select(query, null, signal)).records.map(sourceOfSignal) };
}

function sourceOfItem(item: FedItem): ExportSource {
  return { ...item, signal: null };
}

function sourceOfSignal(signal: Signal): ExportSource {
  const { id, attributes, annotations, createdAtMs, updatedAtMs, number } = signal;
  const shown = { attributes, annotations, visible: true, calculation: null, createdAtMs, updatedAtMs };
  return { id, ...shown, signals: [number], signal };
}

/** The sources of points behind these: of a calculated item what it is computed from. */
export function storedBehind(
  sources: readonly ExportSource[],
  inputs: InputItems,
): readonly Pick<ExportSource, 'signals'>[] {
  return sources.some(({ calculation }) => calculation !== null) ? [...sources, ...inputs.values()] : sources;
}
