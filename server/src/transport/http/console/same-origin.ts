/** Checks the headers by which browsers state the origin of a request, in addition to the CSRF token. */
import type { Exchange } from '../exchange.ts';
import { HttpProblem } from '../problem.ts';

/** Rejects cross-origin requests with 403. `origin` is that of the configured address. */
export function requireSameOrigin(exchange: Pick<Exchange, 'header'>, origin: string): void {
  const site = exchange.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') throw foreign();
  const sender = exchange.header('origin');
  if (
    site === undefined &&
    sender !== undefined &&
    sender !== origin &&
    !isHost(sender, exchange.header('host'))
  )
    throw foreign();
}

/** Without a configured address, the address that the browser has used is compared. */
function isHost(sender: string, host: string | undefined): boolean {
  return URL.canParse(sender) && host !== undefined && new URL(sender).host === host;
}

function foreign(): HttpProblem {
  return new HttpProblem(403, 'This request comes from a page of another origin');
}
