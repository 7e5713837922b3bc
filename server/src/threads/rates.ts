/** Rates by key, such as calls of an integration: a token bucket for each, shared by all threads of the process. */
import type { Stopwatch } from '#model/environment';
import type { RateStatus } from '#model/rate-status';
import { bucketStatus, TokenBucket } from '#model/token-bucket';
import type { Rates, RateTaken } from '#storage/coordination';
import type { NumberTables } from './number-table.ts';

/** Buckets that are kept; the one that was used longest ago is forgotten, and is full when it is used again. */
const recordsMax = 65_536;

/**
 * Token buckets by key. `policy` names the rates in response headers, and in the tables. The stopwatch must be the same in all
 * threads.
 */
export function sharedRates(
  tables: NumberTables,
  stopwatch: Stopwatch,
  policy: RateStatus['policy'],
  name: string,
): Rates {
  const layout = { records: recordsMax, fields: TokenBucket.fields, evicts: true };
  const table = tables.table(`rates of ${name}`, layout);
  return {
    take(key, rate, count = 1) {
      const nowUs = stopwatch.elapsedMs() * 1000;
      const taken = table.update(key, (numbers, at) => {
        const bucket = new TokenBucket(numbers, at);
        const waitS = bucket.take(rate, nowUs, count);
        return { waitS, status: bucketStatus(policy, bucket, rate, waitS) };
      });
      return taken as RateTaken; // A table that evicts has room for every key.
    },
  };
}
