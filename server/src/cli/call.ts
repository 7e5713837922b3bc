/** `tidemark call`: one call of the interface, from a shell. */
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import { type Version, versionDefault, versions } from '#protocol/version';
import type { Call, CommandBody } from './command.ts';
import { readJsonObject } from './options.ts';
import { openService, reporting } from './service-client.ts';
import { printJson } from './terminal.ts';

/** The command. */
export const definition: CommandBody = {
  settings: ['credentials', 'ca'],
  options: [
    new Option('--api-version <VERSION>', 'version of the interface')
      .choices([...versions])
      .default(versionDefault),
  ],
  notes: `PARAMS is a JSON object; - reads it from standard input. In calls of the integration and admin namespaces the parameter
"integration" defaults to that of the credentials file. The result is printed as JSON.`,
  action: callMethod,
};

async function callMethod({ args, config, options, terminal }: Call): Promise<undefined> {
  const [method, given] = args as [string, string | undefined];
  const params = readJsonObject('PARAMS', given === '-' ? await text(process.stdin) : (given ?? '{}'));
  const version = options['apiVersion'] as Version;
  const say = (text: string) => terminal.stderr.write(`${text}\n`);
  const { client, credentials } = await openService({ config, env: terminal.env, version, say });
  const own = /^(integration|admin)\./i.test(method) ? { integration: credentials.integration } : {};
  const result = await reporting(client.callAny(method, { ...own, ...params }), credentials.apiUrl);
  terminal.stdout.write(printJson(result));
}
