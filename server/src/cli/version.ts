/** The version of this program. */
import { readFileSync } from 'node:fs';

/** As the package says, for example `0.1.0`. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
