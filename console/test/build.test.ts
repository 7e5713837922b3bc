/** The built console: small enough to begin with, and nothing in it that the content security policy would refuse. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../', import.meta.url));
const dist = join(root, 'dist');
const initialBytesMax = 250_000;

let html = '';

before(() => {
  execFileSync(process.execPath, [join(root, 'build.mjs')]);
  html = readFileSync(join(dist, 'index.html'), 'utf8');
});

test('the scripts that the first page asks for are at most 250 kB, compressed', () => {
  const scripts = [...html.matchAll(/"\.\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path!);
  assert.ok(scripts.length > 0);
  const bytes = scripts.map((path) => gzipSync(readFileSync(join(dist, path))).length);
  const sum = bytes.reduce((a, b) => a + b, 0);
  assert.ok(
    sum <= initialBytesMax,
    `${sum} bytes: ${scripts.map((path, i) => `${path} ${bytes[i]}`).join(', ')}`,
  );
});

test('the first page has no inline script and no inline style', () => {
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)/);
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=/);
});

test('every address in it is relative, so that a path prefix works', () => {
  for (const [, address] of html.matchAll(/\b(?:src|href)="([^"]*)"/g)) assert.match(address!, /^\.\//);
});

test('no file names another host, and none makes code of text', () => {
  for (const name of readdirSync(join(dist, 'assets')).filter((each) => /\.(js|css)$/.test(each))) {
    const text = readFileSync(join(dist, 'assets', name), 'utf8');
    if (name.endsWith('.css')) assert.doesNotMatch(text, /url\((?!["']?(\.|data:))/, name);
    assert.doesNotMatch(text, /\bnew Function\(|[^.\w]eval\(/, name);
    assert.doesNotMatch(text, /(fetch|import|Worker|EventSource|WebSocket)\(\s*["'`]https?:/, name);
  }
});
