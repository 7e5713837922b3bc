/** The pages of the manual as Markdown: those that people write, with links between them put right, and those that are generated. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiPages } from './api-pages.mjs';
import { commandPages } from './command-pages.mjs';
import { configurationPage } from './configuration-page.mjs';
import { formulaPage } from './formula-page.mjs';

const top = fileURLToPath(new URL('..', import.meta.url));

/** Documents outside of docs/ that belong to the manual: path in the repository → path in the manual. */
const others = {
  'client/README.md': 'connect/typescript.md',
  'clients/python/README.md': 'connect/python.md',
  'SECURITY.md': 'operate/security.md',
  'CHANGELOG.md': 'changelog.md',
  'spec/README.md': 'spec/index.md',
  'spec/interface.md': 'spec/interface.md',
  'spec/wire.md': 'spec/wire.md',
  'spec/query.md': 'spec/query.md',
  'spec/formula.md': 'spec/formula.md',
  'spec/publishing.md': 'spec/publishing.md',
  'spec/transfer.md': 'spec/transfer.md',
};

/** Writes all pages into a directory, which is emptied first. */
export async function gatherPages(directory) {
  rmSync(directory, { recursive: true, force: true });
  const sources = new Map([...docPages(), ...otherPages()]);
  for (const [source, page] of sources) write(directory, page, linked(source, page, sources));
  for (const [page, text] of [...apiPages(), ...(await commandPages()), configurationPage(), formulaPage()]) {
    write(directory, page, text);
  }
  cpSync(join(top, 'docs/images'), join(directory, 'images'), { recursive: true });
  for (const name of downloads()) {
    cpSync(join(top, 'docs', name), join(directory, name));
    cpSync(join(top, 'docs', name), join(directory, 'public', name));
  }
  cpSync(join(top, 'manual/public'), join(directory, 'public'), { recursive: true });
}

/** Markdown in docs/ without the decisions, which are for contributors. */
function* docPages() {
  const files = readdirSync(join(top, 'docs'), { recursive: true }).map((name) => name.replaceAll('\\', '/'));
  for (const name of files.sort()) {
    if (!name.endsWith('.md') || name.startsWith('decisions/')) continue;
    yield [`docs/${name}`, name.replace(/README\.md$/, 'index.md')];
  }
}

/** Files in docs/connect/ that readers copy. */
function downloads() {
  const names = readdirSync(join(top, 'docs/connect')).map((name) => `connect/${name}`);
  return names.filter((name) => !name.endsWith('.md'));
}

function* otherPages() {
  for (const [source, page] of Object.entries(others))
    if (existsSync(join(top, source))) yield [source, page];
}

/** The text of a document; links to other pages lead to where these are in the manual, links to other files become plain text. */
function linked(source, page, pages) {
  const text = readFileSync(join(top, source), 'utf8').replace(/^<img .*$/gm, '');
  return outsideOfCode(text, (line) =>
    line.replace(/\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/g, (whole, label, target) => {
      if (/^(https?:|#|mailto:)/.test(target)) return whole;
      const [path, anchor] = target.split('#');
      const file = posix.normalize(posix.join(posix.dirname(source), path));
      const other = pages.get(file);
      if (other === undefined) return /^docs\/(?:images|connect)\//.test(file) ? whole : label;
      const relative = posix.relative(posix.dirname(page), other) || posix.basename(other);
      return `[${label}](./${relative}${anchor === undefined ? '' : `#${anchor}`})`;
    }),
  );
}

/** Changes lines that are not in a fenced block; elsewhere `<` and braces must not be taken for HTML or templates. */
function outsideOfCode(text, change) {
  let fence = null;
  return text
    .split('\n')
    .map((line) => {
      const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? null;
      if (fence !== null) {
        if (mark?.startsWith(fence)) fence = null;
        return line;
      }
      if (mark !== null) {
        fence = mark;
        return line.replace(/^(\s*```+)console .*$/, '$1console');
      }
      return change(escaped(line));
    })
    .join('\n');
}

/** A line without what VitePress would take for a template or an element. */
export function escaped(line) {
  return line
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/<(?!\/?(?:br|sub|sup)\b)/g, '&lt;')))
    .join('')
    .replaceAll('{{', '&#123;&#123;');
}

function write(directory, page, text) {
  const path = join(directory, page);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
