/** Generated data: the same for the same seed, so that an answer can be checked against the generator. */

/** A small seeded generator (mulberry32): numbers in [0, 1). Good enough for data, not for secrets. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random walk with two decimals, in steps out of a range of this width: a temperature. */
export function walk(count: number, seed: number, width = 0.2): Float64Array {
  const random = seeded(seed);
  const values = new Float64Array(count);
  let value = 50;
  for (let i = 0; i < count; i++) {
    value += (random() - 0.5) * width;
    values[i] = Math.round(value * 100) / 100;
  }
  return values;
}

/** A daily cycle with noise of this width and three decimals, a value a minute: a load. */
export function cycle(count: number, seed: number, width = 2): Float64Array {
  const random = seeded(seed);
  return Float64Array.from({ length: count }, (_, i) => {
    const value = 100 + 30 * Math.sin((i / 1440) * 2 * Math.PI) + (random() - 0.5) * width;
    return Math.round(value * 1000) / 1000;
  });
}

/** Six states that change with this chance. */
export function states(count: number, seed: number, chance = 0.005): Float64Array {
  const random = seeded(seed);
  const values = new Float64Array(count);
  let state = 0;
  for (let i = 0; i < count; i++) {
    if (random() < chance) state = Math.floor(random() * 6);
    values[i] = state;
  }
  return values;
}

/** Times at a constant step, µs. */
export function steps(count: number, startUs: number, stepUs: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => startUs + i * stepUs);
}

/** Times at a step, each late by up to `jitterUs` (less than the step) in whole microseconds. */
export function jittered(
  count: number,
  startUs: number,
  { stepUs, jitterUs }: { stepUs: number; jitterUs: number },
  seed: number,
): Float64Array {
  const random = seeded(seed);
  return Float64Array.from(
    { length: count },
    (_, i) => startUs + i * stepUs + Math.floor(random() * jitterUs),
  );
}
