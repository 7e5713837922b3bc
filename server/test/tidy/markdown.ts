/** Documents: one title each, and links that lead somewhere. */
import { posix } from 'node:path';
import type { Finding } from './source.ts';

/** A document that does not have exactly one title. */
export function wrongTitles(path: string, text: string): Finding[] {
  const titles = prose(text).filter(({ line }) => /^# \S/.test(line));
  if (titles.length === 1) return [];
  const number = titles[1]?.number ?? 1;
  return [{ path, line: number, message: `${titles.length} titles ("# …"): a document has exactly one` }];
}

/**
 * Relative links of a document that point nowhere. `read` gives the text of a document, '' for another file or a
 * folder, null when there is nothing at that path.
 */
export function deadLinks(path: string, text: string, read: (path: string) => string | null): Finding[] {
  return prose(text).flatMap(({ line, number }) =>
    linksIn(line)
      .filter((link) => isDead(path, link, text, read))
      .map((link) => ({ path, line: number, message: `the link ${link} leads nowhere` })),
  );
}

function isDead(from: string, link: string, own: string, read: (path: string) => string | null): boolean {
  if (/^[a-z]+:/.test(link)) return false;
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? own : read(posix.join(posix.dirname(from), decodeURI(file)));
  if (target === null) return true;
  return anchor !== undefined && (file === '' || file.endsWith('.md')) && !anchorsIn(target).has(anchor);
}

/** The anchors that the usual renderers make of a document's headings. */
function anchorsIn(text: string): Set<string> {
  const headings = prose(text).filter(({ line }) => /^#+ /.test(line));
  return new Set(headings.map(({ line }) => anchorOf(line.replace(/^#+ /, ''))));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function linksIn(line: string): string[] {
  const bare = line.replace(/`[^`]*`/g, '');
  return [...bare.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '');
}

/** The lines outside fenced code, numbered from 1. */
function prose(text: string): { line: string; number: number }[] {
  let fenced = false;
  return text.split('\n').flatMap((line, index) => {
    const fence = /^\s*```/.test(line);
    if (fence) fenced = !fenced;
    return fence || fenced ? [] : [{ line, number: index + 1 }];
  });
}
