/** The token bucket: what it lets through, and how long it says to wait (L4). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { TokenBucket } from '#model/token-bucket';

const startUs = 1_700_000_000_000_000;

it('L4 lets a burst through, then one call for each token that is refilled', () => {
  const bucket = new TokenBucket();
  const rate = { perSecond: 2, burst: 3 };
  const at = (seconds: number) => bucket.take(rate, startUs + seconds * 1e6);
  assert.deepEqual([at(0), at(0), at(0), at(0)], [0, 0, 0, 0.5]);
  assert.deepEqual([at(0.5), at(0.5), at(0.75)], [0, 0.5, 0.25]);
  assert.deepEqual([at(100), at(100), at(100), at(100)], [0, 0, 0, 0.5]);
});

it('L4 a slower or faster rate holds from the next call on', () => {
  const bucket = new TokenBucket();
  assert.equal(bucket.take({ perSecond: 1, burst: 10 }, startUs), 0);
  assert.equal(bucket.take({ perSecond: 1, burst: 1 }, startUs), 0);
  assert.equal(bucket.take({ perSecond: 0.1, burst: 1 }, startUs), 10);
  assert.ok(bucket.take({ perSecond: 1000, burst: 5 }, startUs + 1000) === 0);
});

it('L4 a clock that is set back gives no tokens, and takes none', () => {
  const bucket = new TokenBucket();
  const rate = { perSecond: 1, burst: 1 };
  assert.equal(bucket.take(rate, startUs), 0);
  assert.equal(bucket.take(rate, startUs - 3600e6), 1);
  assert.equal(bucket.take(rate, startUs - 3600e6 + 1e6), 0);
});

it('L4d never admits more than the burst and what was refilled; a client that waits for the given time is admitted', () => {
  const rates = fc.record({
    perSecond: fc.double({ min: 0.01, max: 1000, noNaN: true }),
    burst: fc.integer({ min: 1, max: 50 }),
  });
  const pauses = fc.array(fc.integer({ min: 0, max: 3_000_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(rates, pauses, (rate, pausesUs) => {
      const bucket = new TokenBucket();
      let nowUs = startUs;
      let taken = 0;
      for (const pauseUs of pausesUs) {
        nowUs += pauseUs;
        const waitS = bucket.take(rate, nowUs);
        if (waitS === 0) taken++;
        else assert.equal(bucket.take(rate, nowUs + Math.ceil(waitS * 1e6)), 0, 'waited as told');
        if (waitS > 0) {
          taken++;
          nowUs += Math.ceil(waitS * 1e6);
        }
        const refilled = ((nowUs - startUs) / 1e6) * rate.perSecond;
        assert.ok(taken <= rate.burst + refilled + 1e-3, `${taken} calls`);
      }
    }),
  );
});
