/** The query of a request's URL. */
import type { IncomingMessage } from 'node:http';

/** The parameters after the `?`; none when there is no `?`. */
export function queryOf({ url = '' }: Pick<IncomingMessage, 'url'>): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
}
