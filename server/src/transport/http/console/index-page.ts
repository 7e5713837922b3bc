/** The page that begins the console: its addresses under the path prefix, and the policy of what it may load. */
import type { Random } from '#model/environment';

const nonceBytes = 18;

/** Makes the page anew for each request, with a nonce for the styles that its libraries add while it runs. */
export class IndexPage {
  readonly #html: string;
  readonly #random: Random;

  /** `prefix` is the path under which browsers see the service, such as `/tidemark`; empty: none. */
  constructor(html: string, prefix: string, random: Random) {
    const base = `${prefix}/`.replace(/[^\w/.~-]/g, (character) => encodeURIComponent(character));
    const meta = `<meta name="base-path" content="${base}">`;
    this.#html = html.replaceAll('="./', `="${base}`).replace(/<head>/i, `<head>${meta}`);
    this.#random = random;
  }

  /** The page, and its header Content-Security-Policy. */
  render(): { html: string; policy: string } {
    const nonce = Buffer.from(this.#random.bytes(nonceBytes)).toString('base64');
    const meta = `<meta property="csp-nonce" nonce="${nonce}">`;
    return { html: this.#html.replace(/<head>/i, `<head>${meta}`), policy: policyOf(nonce) };
  }
}

/** Scripts come from files only, and everything from here; a form is never sent by the browser itself. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** The policy of a file: for a worker, which is bound by that of its own script. */
export const filePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** What stands in the console's place where it was not built. */
export const missingConsole = `<!doctype html>
<html lang="en"><head><title>Tidemark</title></head>
<body><h1>Tidemark</h1><p>The service runs; its console was not built. In a clone,
<code>npm start</code> builds it, and so does <code>npm run build -w console</code>; then start the service again.</p>
</body></html>
`;
