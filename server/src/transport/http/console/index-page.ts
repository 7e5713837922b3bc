/** The console's HTML page, with URLs below the path prefix and a Content-Security-Policy. */
import type { Random } from '#model/environment';

const nonceBytes = 18;

/** Renders the page for each request, with a nonce for the styles that its libraries add at run time. */
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

/** Allows resources of this origin only, and scripts from files only. The frame is the one that downloads are sent to. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** The policy of files: needed for workers, to which the policy of their own script applies. */
export const filePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The page that is served when the console was not built. */
export const missingConsole = `<!doctype html>
<html lang="en"><head><title>Tidemark</title></head>
<body><h1>Tidemark</h1><p>The service runs; its console was not built. In a clone,
<code>npm start</code> builds it, and so does <code>npm run build -w console</code>; then start the service again.</p>
</body></html>
`;
