/** `tidemark call`: one call of the interface, from a shell. */
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { type Version, versionDefault, versions } from '#protocol/version';
import { type Call, define, type Runner } from './command.ts';
import { commandError, openService } from './service-client.ts';
import { UsageError } from './usage.ts';

/** Adds the command. */
export function defineCall(root: Command, run: Runner): void {
  const command = define(root, run, {
    usage: 'call <method> [params]',
    summary: 'call a method of a running service, for example service.evaluate',
    settings: ['credentials', 'ca'],
    options: [
      new Option('--api-version <VERSION>', 'version of the interface')
        .choices([...versions])
        .default(versionDefault),
    ],
    action: callMethod,
  });
  command.addHelpText('after', notes);
}

const notes = `
PARAMS is a JSON object, - reads it from standard input. In calls of the integration and admin namespaces the parameter
"integration" defaults to that of the credentials file. The result is printed as JSON.`;

async function callMethod({ args, config, options, terminal }: Call): Promise<undefined> {
  const [method, given] = args as [string, string | undefined];
  const params = parseParams(given === '-' ? await text(process.stdin) : (given ?? '{}'));
  const version = options['apiVersion'] as Version;
  const say = (text: string) => terminal.stderr.write(`${text}\n`);
  const { client, credentials } = await openService({ config, env: terminal.env, version, say });
  const own = /^(integration|admin)\./i.test(method) ? { integration: credentials.integration } : {};
  const result = await client.callAny(method, { ...own, ...params }).catch((error) => {
    throw commandError(error, credentials.apiUrl);
  });
  terminal.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

function parseParams(json: string): object {
  try {
    const params: unknown = JSON.parse(json);
    if (typeof params === 'object' && params !== null && !Array.isArray(params)) return params;
  } catch (error) {
    throw new UsageError(`PARAMS must be JSON: ${(error as Error).message}`);
  }
  throw new UsageError('PARAMS must be a JSON object');
}
