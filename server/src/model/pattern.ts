/**
 * Patterns of `$regex` (R14): RE2 syntax, matched in linear time by the library re2js, which is imported only here. A pattern is
 * compiled once in each thread that uses it, and cached in bounded memory.
 */
import { RE2JS } from 're2js';
import { LruCache } from './lru-cache.ts';
import { patternSize } from './pattern-size.ts';

/** A compiled pattern. */
export interface Pattern {
  /** {@link patternSize}: matching a text takes time in proportion to its length times this. */
  size: number;
  /** Whether it matches somewhere in the text. */
  test(text: string): boolean;
}

/** Bytes of compiled patterns that a thread keeps. */
const keptBytesMax = 16 * 1024 * 1024;

/** Bytes that the automaton of one pattern may grow to while it matches; then matching goes on without it, more slowly. */
const automatonBytesMax = 256 * 1024;

/** Bytes of a compiled instruction with what belongs to it, about. */
const instructionBytes = 512;

interface Kept extends Pattern {
  bytes: number;
}

const kept = new LruCache<string, Kept>(keptBytesMax, ({ bytes }) => bytes);

/**
 * For each text whether the pattern matches it. Yields after so much work (characters times pattern size), so that other work
 * can go on in between.
 */
export function* matchInSteps(
  pattern: string,
  texts: readonly string[],
  stepUnits: number,
): Generator<void, boolean[]> {
  const compiled = compilePattern(pattern);
  const found: boolean[] = [];
  let units = 0;
  for (const text of texts) {
    found.push(compiled.test(text));
    units += (text.length + 1) * compiled.size;
    if (units < stepUnits) continue;
    units = 0;
    yield;
  }
  return found;
}

/** Compiles a pattern, or finds it compiled. Throws an Error for a text that is not a pattern. Bound its size beforehand. */
export function compilePattern(pattern: string): Pattern {
  return kept.getOrMake(pattern, () => compile(pattern));
}

/** What is wrong with a text that is to be a pattern, without its place; null when nothing is. */
export function patternProblem(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
    return `must be a pattern in RE2 syntax: ${reason}`;
  }
}

/** Bytes of the patterns that this thread keeps, about. */
export function keptPatternBytes(): number {
  return kept.size;
}

function compile(pattern: string): Kept {
  const compiled = RE2JS.compile(pattern);
  const size = patternSize(pattern);
  let isBounded = false;
  const test = (text: string): boolean => {
    if (!isBounded) boundAutomaton(compiled);
    isBounded = true;
    return compiled.test(text);
  };
  return { size, test, bytes: automatonBytesMax + size * instructionBytes };
}

/** The automaton is made at the first use; re2js would let each grow to 8 MiB. */
function boundAutomaton(compiled: RE2JS): void {
  const { dfa } = compiled.re2();
  dfa.stateBudget = automatonBytesMax;
  dfa.memBudget = automatonBytesMax;
}
