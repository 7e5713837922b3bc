/** JSON lines as exports write them: points, rows, and descriptions of signals (X4). */
import type { RowTime } from '../csv/time-pattern.ts';

/** A described signal. */
export interface DescribedSignal {
  id: string;
  integration: string;
  input: string;
  /** As `integration.saveSignals` takes them, without the input key. */
  attributes: Record<string, unknown>;
  annotations: Record<string, string>;
  /** The item that it feeds; null: none. */
  item: { id: string; attributes: Record<string, unknown>; annotations: Record<string, string> } | null;
}

/** A described calculated item. */
export interface DescribedCalculation {
  id: string;
  /** As `admin.importCalculation` takes them. */
  attributes: Record<string, unknown>;
  annotations: Record<string, string>;
  versions: { inputs: { id: string }[] }[];
}

/** What a line says. A text says what is wrong with it. */
export type JsonLine =
  | { kind: 'signal'; signal: DescribedSignal }
  | { kind: 'calculation'; item: DescribedCalculation }
  | { kind: 'points'; time: string; values: [name: string, value: number][] }
  | { kind: 'next' }
  | string;

type Members = Record<string, unknown>;

/** Reads a line. */
export function readJsonLine(text: string): JsonLine {
  const value = parse(text);
  if (value === null) return 'is not a JSON object';
  if (value.type === 'signals') return readSignal(value);
  if (value.type === 'items') return readItem(value);
  if (typeof value.next === 'string' && value.time === undefined) return { kind: 'next' };
  const { time, ...others } = value;
  if (typeof time !== 'string' && typeof time !== 'number') return 'has no member "time"';
  if (typeof others.statistic === 'string') return 'is of a rollup: only points can be imported';
  const name = others.signal ?? others.item;
  const values =
    name === undefined || !('value' in others)
      ? Object.entries(others)
      : [[String(name), others.value] as const];
  const read: [string, number][] = [];
  for (const [key, each] of values) {
    const number = typeof each === 'boolean' ? Number(each) : each;
    if (number === null) continue;
    if (typeof number !== 'number' || !Number.isFinite(number))
      return `the value of ${JSON.stringify(key)} is not a number`;
    read.push([key, number]);
  }
  return { kind: 'points', time: String(time), values: read };
}

function parse(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : null;
  } catch {
    return null;
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readSignal({ id, attributes, meta, relationships, published }: Members): JsonLine {
  const described = resourceOf(id, attributes, meta);
  if (described === null) return 'is not the description of a signal';
  const { input, ...shared } = described.attributes;
  const integration = integrationOf(relationships);
  if (typeof input !== 'string') return 'is not the description of a signal: it has no input key';
  const item = isMembers(published) ? resourceOf(published.id, published.attributes, published.meta) : null;
  return { kind: 'signal', signal: { ...described, integration, input, attributes: shared, item } };
}

function readItem({ id, attributes, meta, versions }: Members): JsonLine {
  if (!Array.isArray(versions)) return 'describes an item; export signals to import them';
  const described = resourceOf(id, attributes, meta);
  if (described === null || versions.length === 0 || !versions.every(hasInputs))
    return 'is not the description of a calculated item';
  return { kind: 'calculation', item: { ...described, versions } };
}

function hasInputs(version: unknown): version is DescribedCalculation['versions'][number] {
  if (!isMembers(version) || !Array.isArray(version.inputs)) return false;
  return version.inputs.every((input) => isMembers(input) && typeof input.id === 'string');
}

function resourceOf(id: unknown, attributes: unknown, meta: unknown) {
  if (typeof id !== 'string' || !isMembers(attributes)) return null;
  const annotations = isMembers(meta) && isMembers(meta.annotations) ? meta.annotations : {};
  return { id, attributes, annotations: annotations as Record<string, string> };
}

function integrationOf(relationships: unknown): string {
  const integration = isMembers(relationships) ? relationships.integration : null;
  const data = isMembers(integration) ? integration.data : null;
  return isMembers(data) && typeof data.id === 'string' ? data.id : '';
}

/** Reads times of one file. */
export type ReadTime = (text: string) => RowTime | null;
