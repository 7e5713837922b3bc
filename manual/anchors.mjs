/** Checks the links of the built manual: every page, file and heading that a page refers to exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { base } from './base.mjs';

/** Fails with a list of all links that lead nowhere. */
export function checkAnchors(directory) {
  const pages = new Map(
    readdirSync(directory, { recursive: true })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.html'))
      .map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
  );
  const dead = [];
  for (const [name, html] of pages) {
    for (const [, target] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^(https?:|mailto:)/.test(target) || target === '') continue;
      if (!leadsSomewhere(target.replaceAll('&amp;', '&'), name, pages, directory))
        dead.push(`${name}: ${target}`);
    }
  }
  if (dead.length > 0) throw new Error(`dead links in the manual:\n${dead.join('\n')}`);
}

function leadsSomewhere(target, from, pages, directory) {
  const [path, anchor] = target.split('#');
  const inside = path.startsWith(base) ? path.slice(base.length) : posix.join(posix.dirname(from), path);
  const page = path === '' ? from : inside.endsWith('/') || inside === '' ? `${inside}index.html` : inside;
  const html = pages.get(page);
  if (html === undefined) return existsSync(join(directory, page));
  if (anchor === undefined || anchor === '') return true;
  return html.includes(`id="${decodeURIComponent(anchor)}"`);
}
