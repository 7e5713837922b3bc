/** The files of the console and of the manual, read once at start and found by exact name, so that path traversal is impossible. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file to be served. */
export interface Page {
  bytes: Buffer;
  /** The compressed file, if the build has created it. */
  br: Buffer | null;
  gzip: Buffer | null;
  type: string;
  /** Whether its name depends on its content, so that browsers may cache it without limit. */
  isImmutable: boolean;
  etag: string;
}

/** The files by their path, such as `assets/index-3fa9.js`. */
export type Pages = ReadonlyMap<string, Page>;

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.yaml': 'application/yaml',
};

/**
 * Reads all files below a directory; null when it has no index.html, that is, when they were not built. `change` may replace
 * what a file contains.
 */
export async function readPages(
  directory: string,
  change: (bytes: Buffer, name: string) => Buffer = (bytes) => bytes,
): Promise<Pages | null> {
  const files = await readFiles(directory);
  for (const [name, bytes] of files) files.set(name, change(bytes, name));
  if (!files.has('index.html')) return null;
  const names = [...files.keys()].filter((name) => !/\.(br|gz)$/.test(name));
  return new Map(names.map((name) => [name, pageOf(name, files)]));
}

async function readFiles(directory: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const known = paths.filter((path) => extname(path.replace(/\.(br|gz)$/, '')) in types);
  const named = known.map(
    async (path): Promise<[string, Buffer]> => [
      relative(directory, path).split(sep).join('/'),
      await readFile(path),
    ],
  );
  return new Map(await Promise.all(named));
}

function pageOf(name: string, files: ReadonlyMap<string, Buffer>): Page {
  const bytes = files.get(name) ?? Buffer.alloc(0);
  return {
    bytes,
    br: files.get(`${name}.br`) ?? null,
    gzip: files.get(`${name}.gz`) ?? null,
    type: types[extname(name)] ?? 'application/octet-stream',
    isImmutable: name.startsWith('assets/'),
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  };
}
