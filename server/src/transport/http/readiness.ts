/** `GET /readyz`: whether the service and each of its components are ready; for load balancers. */
import type { Stopwatch } from '#model/environment';
import type { Exchange } from './exchange.ts';

/** A component that must be healthy. */
export interface ReadyCheck {
  /** One word. */
  name: string;
  /** A short public description of the problem; null when there is none. */
  check(): Promise<string | null>;
  /** Whether the service is ready in spite of its problem, and serves all but some calls. Default false. */
  isPartial?: boolean;
}

/** Time limit of a check, ms. */
const checkMsMax = 2000;

/** How long a result is cached, ms, since the route needs no credentials. */
const freshMs = 500;

interface Finding {
  name: string;
  problem: string | null;
  isPartial: boolean;
}

/** Runs the checks and caches the results. */
export class Readiness {
  readonly #checks: readonly ReadyCheck[];
  readonly #stopwatch: Stopwatch;
  #findings: Promise<Finding[]> | null = null;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(checks: readonly ReadyCheck[], stopwatch: Stopwatch) {
    this.#checks = checks;
    this.#stopwatch = stopwatch;
  }

  /**
   * 200 when all components are ready, else 503 with the reason; with `?verbose` each component is listed. Where only a part of the
   * calls cannot be served, 200 and the reason: other nodes could not serve them either.
   */
  async serve(unavailable: string | null, exchange: Exchange): Promise<void> {
    const service = { name: 'service', problem: unavailable, isPartial: false };
    const findings = [service, ...(unavailable === null ? await this.#ask() : [])];
    const wrong = findings.find(({ problem, isPartial }) => problem !== null && !isPartial);
    const partial = findings.find(({ problem }) => problem !== null);
    const isVerbose = new URL(exchange.request.url ?? '/', 'http://localhost').searchParams.has('verbose');
    const checks = Object.fromEntries(findings.map(({ name, problem }) => [name, problem ?? 'ok']));
    const body = {
      status: wrong === undefined ? 'ok' : 'unavailable',
      ...(partial === undefined ? {} : { reason: reasonOf(wrong ?? partial) }),
      ...(isVerbose ? { checks } : {}),
    };
    const headers = { 'cache-control': 'no-store', ...(wrong === undefined ? {} : { 'retry-after': '5' }) };
    const status = wrong === undefined ? 200 : 503;
    await exchange.sendText(status, 'application/json', JSON.stringify(body), headers);
  }

  #ask(): Promise<Finding[]> {
    const nowMs = this.#stopwatch.elapsedMs();
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

async function findingOf({ name, check, isPartial = false }: ReadyCheck): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('does not answer'), checkMsMax);
  });
  try {
    return { name, problem: await Promise.race([check(), late]), isPartial };
  } catch {
    return { name, problem: 'failed', isPartial };
  } finally {
    clearTimeout(timer);
  }
}
