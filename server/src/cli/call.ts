/** `tidemark call`: one call of the interface, from a shell. */
import { readFile, writeFile } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { Option } from 'commander';
import type { MethodName } from '#client';
import { type Version, versionDefault, versions } from '#protocol/version';
import type { Call, CommandBody } from './command.ts';
import { readJsonObject } from './options.ts';
import { openService, reporting } from './service-client.ts';
import { printJson, type Terminal } from './terminal.ts';
import { CommandError, UsageError } from './usage.ts';

/** The command. */
export const definition: CommandBody = {
  settings: ['credentials', 'ca'],
  options: [
    new Option('--api-version <VERSION>', 'version of the interface')
      .choices([...versions])
      .default(versionDefault),
    new Option('--arrow <FILE>', 'Apache Arrow stream; - is standard input or output'),
  ],
  notes: `PARAMS is a JSON object; - reads it from standard input. In calls of the integration and admin namespaces the parameter
"integration" defaults to that of the credentials file. The result is printed as JSON. With --arrow, integration.insert
takes its data frame from FILE, and every other method writes that of its result to FILE.`,
  action: callMethod,
};

async function callMethod({ args, config, options, terminal }: Call): Promise<undefined> {
  const [method, given] = args as [string, string | undefined];
  const path = options['arrow'] as string | undefined;
  const isInsert = /^integration\.insert$/i.test(method);
  const params = await readParams(given, isInsert ? path : undefined);
  const version = options['apiVersion'] as Version;
  const say = (text: string) => terminal.stderr.write(`${text}\n`);
  const { client, credentials } = await openService({ config, env: terminal.env, version, say });
  const { integration, apiUrl } = credentials;
  const own = /^(integration|admin)\./i.test(method) ? { integration } : {};
  const all: Record<string, unknown> = { ...own, ...params };
  if (path === undefined || isInsert) {
    const result =
      path === undefined
        ? client.callAny(method, all)
        : client.insertArrow(String(all.integration), await readStream(path));
    terminal.stdout.write(printJson(await reporting(result, apiUrl)));
  } else {
    const stream = client.callForArrow(method as MethodName<Version>, all as never);
    await writeStream(path, await reporting(stream, apiUrl), terminal);
  }
}

/** The parameters; `frame` is where the data frame of an insert is read from. Throws {@link UsageError}. */
async function readParams(given = '{}', frame?: string): Promise<Record<string, unknown>> {
  if (given === '-' && frame === '-')
    throw new UsageError('--arrow: PARAMS and the stream cannot both come from standard input; name a file');
  const params = readJsonObject('PARAMS', given === '-' ? await text(process.stdin) : given);
  if (frame !== undefined && 'data' in params)
    throw new UsageError('--arrow: FILE is the data; leave "data" out of PARAMS');
  return params;
}

async function readStream(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = path === '-' ? await buffer(process.stdin) : await readFile(path).catch(unreadable(path));
  return new Uint8Array(bytes);
}

function unreadable(path: string) {
  return ({ code, message }: NodeJS.ErrnoException): never => {
    throw new UsageError(`--arrow: cannot read ${path}: ${code === 'ENOENT' ? 'no such file' : message}`);
  };
}

async function writeStream(path: string, stream: Uint8Array, terminal: Terminal): Promise<undefined> {
  if (path === '-') terminal.stdout.write(stream);
  else
    await writeFile(path, stream).catch(({ message }: Error) => {
      throw new CommandError(`--arrow: cannot write ${path}: ${message}`);
    });
}
