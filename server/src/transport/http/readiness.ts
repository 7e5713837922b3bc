/** `GET /readyz`: whether the service can do its work now, part by part; for those who send it traffic. */
import type { Exchange } from './exchange.ts';

/** One part that must be well. */
export interface ReadyCheck {
  /** One word. */
  name: string;
  /** What is wrong, in a few words for anybody; null when nothing is. */
  check(): Promise<string | null>;
}

/** A check that takes longer has failed, ms. */
const checkMsMax = 2000;

/** Anybody may ask, so an answer serves for this long, ms. */
const freshMs = 500;

interface Finding {
  name: string;
  problem: string | null;
}

/** Asks the parts, not more often than it must. */
export class Readiness {
  readonly #checks: readonly ReadyCheck[];
  #findings: Promise<Finding[]> | null = null;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(checks: readonly ReadyCheck[]) {
    this.#checks = checks;
  }

  /** 200 when all is well, else 503 and why; with `?verbose` part by part. */
  async serve(unavailable: string | null, exchange: Exchange): Promise<void> {
    const service = { name: 'service', problem: unavailable };
    const findings = [service, ...(unavailable === null ? await this.#ask() : [])];
    const wrong = findings.find(({ problem }) => problem !== null);
    const isVerbose = new URL(exchange.request.url ?? '/', 'http://localhost').searchParams.has('verbose');
    const checks = Object.fromEntries(findings.map(({ name, problem }) => [name, problem ?? 'ok']));
    const body = {
      ...(wrong === undefined ? { status: 'ok' } : { status: 'unavailable', reason: reasonOf(wrong) }),
      ...(isVerbose ? { checks } : {}),
    };
    const headers = { 'cache-control': 'no-store', ...(wrong === undefined ? {} : { 'retry-after': '5' }) };
    const status = wrong === undefined ? 200 : 503;
    await exchange.sendText(status, 'application/json', JSON.stringify(body), headers);
  }

  #ask(): Promise<Finding[]> {
    const nowMs = performance.now();
    if (this.#findings === null || nowMs - this.#askedAtMs > freshMs) {
      this.#askedAtMs = nowMs;
      this.#findings = Promise.all(this.#checks.map(findingOf));
    }
    return this.#findings;
  }
}

function reasonOf({ name, problem }: Finding): string {
  return name === 'service' ? String(problem) : `${name}: ${problem}`;
}

async function findingOf({ name, check }: ReadyCheck): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('does not answer'), checkMsMax);
  });
  try {
    return { name, problem: await Promise.race([check(), late]) };
  } catch {
    return { name, problem: 'failed' };
  } finally {
    clearTimeout(timer);
  }
}
