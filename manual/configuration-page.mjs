/** The reference of the configuration: every setting and every limit, from the tables that the program reads. */
import { envOf, flagOf, secretFileOf } from '../server/src/config.ts';
import { limitTable } from '../server/src/model/limits.ts';
import { settingTable } from '../server/src/settings.ts';
import { escaped } from './gather.mjs';

/** Path and text of the page. */
export function configurationPage() {
  const settings = Object.entries(settingTable).map(([name, setting]) => settingRow(name, setting));
  const limits = Object.entries(limitTable).map(([name, limit]) => limitRow(name, limit));
  const text = [
    '# Configuration',
    'A setting is a flag of the command line, an environment variable, or a member of the JSON file that `--config` names; the command line takes precedence over the environment, and the environment over the file. `tidemark config print` shows what applies, and where it comes from.',
    '## Settings',
    ['| Flag, environment, file | Default | Meaning |', '|---|---|---|', ...settings].join('\n'),
    '## Limits',
    'Limits are set with `--limit NAME=VALUE`, an environment variable such as `TIDEMARK_LIMIT_BODY_BYTES_MAX`, or the member `limits` of the file. A running service takes new values on SIGHUP, unless it says *at start*.',
    ['| Limit | Default | Range | Reason |', '|---|---|---|---|', ...limits].join('\n'),
  ];
  return ['reference/configuration.md', `${text.join('\n\n')}\n`];
}

function settingRow(name, setting) {
  const isSecret = setting.kind === 'secret';
  const names = isSecret ? [secretFileOf(name)] : [name];
  const spelt = names
    .flatMap((each) => [`\`${flagOf(each)}\``, `\`${envOf(each)}\``, `\`${each}\``])
    .join('<br>');
  const standard = setting.default === null || String(setting.default) === '' ? '' : `\`${setting.default}\``;
  return `| ${spelt} | ${standard} | ${cell(setting.help)} |`;
}

function limitRow(name, { default: standard, unit, min, max, reason, fixed }) {
  return `| \`${name}\`${fixed ? '<br>*at start*' : ''} | ${standard} ${unit} | ${min}…${max} | ${cell(reason)} |`;
}

function cell(text) {
  return escaped(text).replaceAll('|', '\\|');
}
