/** Several columns → one, row by row (Q12). NaN is null and skipped; a row without any value is null, count included. */
import type { GroupAggregation } from './aggregation.ts';

/** Combines columns of `length` values each; none at all give nulls. */
export function combine(parts: readonly Float64Array[], how: GroupAggregation, length: number): Float64Array {
  const out = new Float64Array(length).fill(Number.NaN);
  if (how === 'count' || how === 'avg') return counted(parts, how, out);
  const step = how === 'sum' ? addUp : how === 'min' ? lower : raise;
  for (const part of parts) step(out, part);
  return out;
}

function counted(parts: readonly Float64Array[], how: 'count' | 'avg', out: Float64Array): Float64Array {
  const counts = new Float64Array(out.length);
  for (const part of parts) {
    for (let i = 0; i < part.length; i++) if (!Number.isNaN(part[i])) counts[i]++;
    if (how === 'avg') addUp(out, part);
  }
  for (let i = 0; i < out.length; i++) {
    if (counts[i] > 0) out[i] = how === 'avg' ? out[i] / counts[i] : counts[i];
  }
  return out;
}

function addUp(out: Float64Array, part: Float64Array): void {
  for (let i = 0; i < out.length; i++) {
    if (!Number.isNaN(part[i])) out[i] = Number.isNaN(out[i]) ? part[i] : out[i] + part[i];
  }
}

function lower(out: Float64Array, part: Float64Array): void {
  for (let i = 0; i < out.length; i++) if (!(out[i] <= part[i]) && !Number.isNaN(part[i])) out[i] = part[i];
}

function raise(out: Float64Array, part: Float64Array): void {
  for (let i = 0; i < out.length; i++) if (!(out[i] >= part[i]) && !Number.isNaN(part[i])) out[i] = part[i];
}
