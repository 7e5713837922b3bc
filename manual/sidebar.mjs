/** The order of the manual, for reading it from front to back. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = (text, link) => ({ text, link });

const parts = [
  {
    text: 'Learn',
    items: [page('What Tidemark is', '/'), page('Concepts', '/concepts'), page('Tutorial', '/tutorial')],
  },
  {
    text: 'Connect',
    items: [
      page('CSV files', '/import'),
      page('Import and export', '/import-export'),
      page('MQTT', '/mqtt'),
      page('Node-RED', '/connect/node-red'),
      page('Telegraf and Home Assistant', '/influxdb'),
      page('Prometheus', '/prometheus'),
      page('Grafana', '/connect/grafana'),
      page('Arrow', '/arrow'),
      page('Live values', '/live'),
      page('TypeScript', '/connect/typescript'),
      page('Python', '/connect/python'),
      page('AI assistants (MCP)', '/mcp'),
    ],
  },
  {
    text: 'Administer',
    items: [
      page('The console', '/console'),
      page('Publishing rules', '/publishing-rules'),
      page('Calculated items', '/calculated-items'),
      page('Plans and usage', '/plans-and-usage'),
      page('Audit', '/audit'),
    ],
  },
  {
    text: 'Operate',
    items: [
      page('Install', '/install'),
      page('TLS and proxies', '/tls'),
      page('Upgrade', '/upgrade'),
      page('Backup', '/backup'),
      page('Data and retention', '/operate/data'),
      page('Monitoring', '/operate/monitoring'),
      page('Limits', '/limits'),
      page('Scale out', '/scale-out'),
      page('Security', '/operate/security'),
      page('Troubleshooting', '/troubleshooting'),
    ],
  },
  {
    text: 'Reference',
    items: [
      ...['1.2', '1.1', '1.1beta2', '1.1beta1', '1.0'].map((version) =>
        page(`API ${version}`, `/reference/api-${version}`),
      ),
      page('Methods of the console', '/reference/api-console'),
      page('Formula functions', '/reference/functions'),
      page('Command line', '/reference/commands'),
      page('Configuration', '/reference/configuration'),
      page('Changelog', '/changelog'),
    ],
  },
  {
    text: 'Specification',
    collapsed: true,
    items: [
      page('How to read it', '/spec/'),
      page('Interface', '/spec/interface'),
      page('Wire', '/spec/wire'),
      page('Queries', '/spec/query'),
      page('Formulas', '/spec/formula'),
      page('Publishing', '/spec/publishing'),
      page('Import and export', '/spec/transfer'),
    ],
  },
];

/** Whether the page was gathered. */
function exists({ link }) {
  const path = link.endsWith('/') ? `${link}index` : link;
  return existsSync(fileURLToPath(new URL(`.pages${path}.md`, import.meta.url)));
}

/** The parts, with the pages that exist. */
export const sidebar = parts.map((part) => ({ ...part, items: part.items.filter(exists) }));
