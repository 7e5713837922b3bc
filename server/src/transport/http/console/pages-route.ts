/** Serves the console: its files, and its HTML page for every other page URL; and the manual below `docs/`. */
import type { Random } from '#model/environment';
import { encodingFor } from '../encoding.ts';
import type { Exchange, Headers } from '../exchange.ts';
import { filePolicy, IndexPage, missingConsole } from './index-page.ts';
import { manualPolicy, missingManual } from './manual.ts';
import type { Page, Pages } from './pages.ts';

/** Options of the console's pages. */
export interface PagesRouteOptions {
  /** Null when the console was not built. */
  pages: Pages | null;
  /** The manual's files; null when it was not built. */
  manual: Pages | null;
  /** The path under which browsers see the service, such as `/tidemark`; empty: none. */
  prefix: string;
  random: Random;
}

/** Serves a GET or HEAD to a path that no route has; false when there is nothing for it. */
export type ServePage = (exchange: Exchange) => Promise<boolean>;

const pageHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

const oneYear = 'public, max-age=31536000, immutable';

/** Creates the handler. */
export function pagesRoute({ pages, manual, prefix, random }: PagesRouteOptions): ServePage {
  const html = pages?.get('index.html')?.bytes.toString('utf8') ?? missingConsole;
  const index = new IndexPage(html, prefix, random);
  return async (exchange) => {
    const path = pathOf(exchange, prefix);
    if (path === null) return redirect(exchange, prefix);
    if (path === 'docs') return redirect(exchange, `${prefix}/docs`);
    if (path.startsWith('docs/')) return serveManual(exchange, manual, path.slice('docs/'.length));
    const page = path === 'index.html' ? undefined : pages?.get(path);
    if (page !== undefined) sendPage(exchange, page, filePolicy);
    else if (path === '' || path === 'index.html' || isNavigation(exchange, path))
      await sendIndex(exchange, index);
    else return false;
    return true;
  };
}

/** The path below the prefix, without the slash; null for the prefix without a slash, where relative URLs would be wrong. */
function pathOf({ request }: Exchange, prefix: string): string | null {
  const path = (request.url ?? '/').split('?', 1)[0];
  if (prefix !== '' && path === prefix) return null;
  return (path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path).replace(/^\//, '');
}

function redirect(exchange: Exchange, path: string): true {
  exchange.sendEmpty(308, { location: `${path}/` });
  return true;
}

async function serveManual(exchange: Exchange, manual: Pages | null, path: string): Promise<boolean> {
  const page = manual?.get(path === '' || path.endsWith('/') ? `${path}index.html` : path);
  if (page !== undefined) sendPage(exchange, page, manualPolicy);
  else if (manual === null)
    await exchange.sendText(404, 'text/html; charset=utf-8', missingManual, pageHeaders);
  return page !== undefined || manual === null;
}

/** Whether the request is for a page, and not for a missing file or route. */
function isNavigation(exchange: Exchange, path: string): boolean {
  if (/^(v1|console|assets|docs)(\/|$)/.test(path)) return false;
  const mode = exchange.header('sec-fetch-mode') ?? 'navigate';
  return mode === 'navigate' && (exchange.header('accept') ?? '').includes('text/html');
}

async function sendIndex(exchange: Exchange, index: IndexPage): Promise<void> {
  const { html, policy } = index.render();
  // The nonce is also in the header, so the page must not be cached without it.
  const headers = { ...pageHeaders, 'content-security-policy': policy, 'cache-control': 'no-cache' };
  await exchange.sendText(200, 'text/html; charset=utf-8', html, headers);
}

function sendPage(exchange: Exchange, page: Page, policy: string): void {
  const headers: Record<string, string> = {
    ...pageHeaders,
    'cache-control': page.isImmutable ? oneYear : 'no-cache',
    'content-security-policy': policy,
    etag: page.etag,
    vary: 'accept-encoding',
  };
  if (exchange.header('if-none-match') === page.etag) {
    exchange.sendEmpty(304, headers);
    return;
  }
  const [bytes, encoding] = variantOf(page, exchange.header('accept-encoding'));
  const all: Headers = { ...headers, 'content-type': page.type, ...encoding };
  exchange.sendBytes(200, bytes, all);
}

function variantOf(
  { bytes, br, gzip }: Page,
  accepted: string | undefined,
): [Buffer, Record<string, string>] {
  const encoding = encodingFor(accepted, ['br', 'gzip']);
  const variant = encoding === 'br' ? br : encoding === 'gzip' ? gzip : null;
  return variant === null || encoding === null ? [bytes, {}] : [variant, { 'content-encoding': encoding }];
}
