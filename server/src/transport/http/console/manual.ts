/** The manual's files, which are built for a placeholder in place of the path under which browsers see the service. */
import { type Pages, readPages } from './pages.ts';

/** The path that the files were built for; see manual/base.mjs. */
const builtFor = '/manual-base/';

/** Reads the manual; null when it was not built. `prefix` is the path of the service, such as `/tidemark`; empty: none. */
export function readManual(directory: string, prefix: string): Promise<Pages | null> {
  return readPages(directory, (bytes, name) =>
    /\.(html|js|css|json)$/.test(name)
      ? Buffer.from(bytes.toString('utf8').replaceAll(builtFor, `${prefix}/`))
      : bytes,
  );
}

/** Allows what the manual consists of: files of this origin. */
export const manualPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The page that is served when the manual was not built. */
export const missingManual = `<!doctype html>
<html lang="en"><head><title>Tidemark: manual</title></head>
<body><h1>Manual</h1><p>The manual was not built. In a clone, <code>npm run docs</code> builds it; then start the service
again.</p></body></html>
`;
