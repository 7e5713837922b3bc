/** The reference of the API: a page for each version, from its OpenRPC document, with an example of each method. */
import { readFileSync } from 'node:fs';
import { escaped } from './gather.mjs';

const versions = ['1.2', '1.1', '1.1beta2', '1.1beta1', '1.0'];
const directory = new URL('../spec/rpc/', import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, directory), 'utf8'));

/** Path and text of each page. */
export function apiPages() {
  const examples = read('examples.json');
  return [
    ...versions.map((version) => [`reference/api-${version}.md`, versionPage(version, examples, isPublic)]),
    ['reference/api-console.md', versionPage('1.2', examples, (name) => !isPublic(name))],
  ];
}

function isPublic(name) {
  return !name.startsWith('console.');
}

function versionPage(version, examples, isShown) {
  const { methods, components } = read(`openrpc-${version}.json`);
  const shown = methods.filter(({ name }) => isShown(name));
  const isConsole = !isShown('service.evaluate');
  const title = isConsole ? 'Methods of the console' : `API ${version}`;
  const used = new Set();
  const sections = shown.map((method) => methodSection(method, examples[`${version} ${method.name}`], used));
  return `${[
    `# ${title}`,
    isConsole
      ? 'The console calls these methods with the session of a person. They follow the console and may change with each release.'
      : `\`POST /v1/rpc\` with the header \`X-API-Version: ${version}\`. The whole document is served at \`/openrpc.json?version=${version}\`.`,
    ...sections,
    '## Types',
    ...typeSections(used, components.schemas),
    ...(isConsole ? [] : ['## Errors', errorTable(components.errors)]),
  ].join('\n\n')}\n`;
}

function methodSection(method, example, used) {
  const parts = [`## ${method.name}`, escaped(method.summary)];
  if (method['x-synonyms']?.length > 0)
    parts.push(`Also as ${method['x-synonyms'].map((name) => `\`${name}\``).join(', ')}.`);
  if (method.params.length > 0)
    parts.push(table(method.params.map((param) => rowOf(param.name, param.schema, param.required, used))));
  else parts.push('No parameters.');
  parts.push(`Result: ${typeOf(method.result.schema, used)}`);
  if (example !== undefined) {
    parts.push('Request:', json(example.request), 'Answer:', json(example.answer));
  }
  return parts.join('\n\n');
}

/** Types that are used, and those that they use. */
function typeSections(used, schemas) {
  const sections = [];
  const done = new Set();
  for (const name of used) {
    if (done.has(name)) continue;
    done.add(name);
    const schema = schemas[name];
    const members = Object.entries(schema.properties ?? {});
    const rows = members.map(([key, value]) => rowOf(key, value, schema.required?.includes(key), used));
    const about = schema.description === undefined ? [] : [escaped(schema.description)];
    sections.push(
      [`### ${name}`, ...about, members.length > 0 ? table(rows) : typeOf(withoutName(schema), used)].join(
        '\n\n',
      ),
    );
  }
  return sections;
}

function withoutName({ title, description, ...schema }) {
  return schema;
}

function errorTable(errors) {
  const rows = Object.values(errors).map(({ code, message }) => `| ${code} | ${escaped(message)} |`);
  return ['| Code | Message |', '|---|---|', ...rows].join('\n');
}

function table(rows) {
  return ['| Name | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function rowOf(name, schema, isRequired, used) {
  const standard = schema.default === undefined ? '' : ` Default: \`${JSON.stringify(schema.default)}\`.`;
  const need = isRequired ? ' Required.' : '';
  return `| \`${name}\` | ${typeOf(schema, used)} | ${escaped(schema.description ?? '').replaceAll('|', '\\|')}${need}${standard} |`;
}

/** A type in a few words; objects without a name are given with their members. */
function typeOf(schema, used) {
  if (schema.$ref !== undefined) return reference(schema.$ref.split('/').at(-1), used);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeOf(choice, used)))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {}, used)}`;
  if (schema.type === 'object') return objectType(schema, used);
  return `${schema.type ?? 'any value'}${rangeOf(schema)}`;
}

function objectType({ properties = {}, patternProperties, additionalProperties }, used) {
  const values =
    Object.values(patternProperties ?? {})[0] ??
    (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  const members = Object.entries(properties).map(([key, value]) => `\`${key}\`: ${typeOf(value, used)}`);
  if (members.length > 0) return `object (${members.join(', ')})`;
  return values === undefined ? 'object' : `object of ${typeOf(values, used)}`;
}

function rangeOf({ minimum, maximum, maxLength }) {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}…${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  if (maximum !== undefined) return ` to ${maximum}`;
  return maxLength === undefined ? '' : `, at most ${maxLength} characters`;
}

function reference(name, used) {
  used.add(name);
  return `[${name}](#${name.toLowerCase()})`;
}

function json(value) {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
