/** The configuration of VitePress: pages from .pages/, nothing from other origins, and no script inside of pages, as the policy of the service demands. */
import { defineConfig } from 'vitepress';
import { base } from '../base.mjs';
import { sidebar } from '../sidebar.mjs';

export default defineConfig({
  title: 'Tidemark',
  description: 'The manual of Tidemark, a self-hosted time-series signal service',
  lang: 'en',
  base,
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '../node_modules/.cache/vitepress',
  // The scripts that VitePress puts into pages: dark mode before the first paint, and the table of hashes.
  appearance: false,
  metaChunk: true,
  head: [['link', { rel: 'icon', href: `${base}favicon.svg`, type: 'image/svg+xml' }]],
  ignoreDeadLinks: 'localhostLinks',
  transformHtml: (html) =>
    html.replace(/<script id="check-[^>]*>.*?<\/script>/gs, '').replace(/ style="[^"]*"/g, ''),
  markdown: {
    // Colours would be style attributes, which the policy forbids.
    highlight: (code) =>
      `<pre v-pre><code>${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`,
    anchor: { slugify: (text) => slugOf(text) },
    toc: { level: [2, 3] },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar,
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: false,
  },
});

/** As GitHub makes anchors of headings, so that links in docs/ hold in both places. */
function slugOf(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/<[^>]*>/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
