/** `tidemark credential …`: the credentials of integrations (A4). A secret is shown or written once, when it is created. */
import { Option } from 'commander';
import { apiUrlOf, credentialsFile } from '#domain/identity/credentials-file';
import type { NewCredential } from '#domain/identity/identity';
import { durationProblem, parseDuration } from '#model/duration';
import { instantProblem, parseInstant } from '#model/instant';
import { storeSettings } from '#settings';
import type { Credential, CredentialType } from '#storage/meta-store';
import { systemClock } from '#system-environment';
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { CredentialsPath } from './credentials-path.ts';
import { baseUrlOf, changeDomain, type DomainWork, isGuessedBaseUrl, withDomain } from './data-directory.ts';
import { mayRemove, type Removal, removalOptions } from './removal.ts';
import { printResult, printRows } from './result.ts';
import { printDate, printJson } from './terminal.ts';
import { UsageError } from './usage.ts';

const types: CredentialType[] = ['client-credentials', 'basic-auth'];

/** The option for the type of a credential. */
export const typeOption = new Option('--type <TYPE>', 'type of credential').choices(types).default(types[0]);

/** The options for the file of a new credential. */
export const fileOptions = [
  new Option('--credentials <FILE>', 'write the credentials file here instead of to stdout'),
  new Option('--force', 'replace an existing credentials file').default(false),
];

const expiryOptions = [
  new Option('--expires <TIME>', 'RFC 3339 time at which it expires').conflicts('expiresIn'),
  new Option('--expires-in <DURATION>', 'how long it is valid, for example P90D'),
];

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'create <integration>',
    summary: 'create another credential',
    settings: [...storeSettings, 'baseUrl'],
    options: [
      typeOption,
      new Option('--label <TEXT>', 'purpose').default(''),
      ...expiryOptions,
      ...fileOptions,
    ],
    action: create,
  },
  {
    usage: 'list [integration]',
    summary: 'list the credentials of one integration or of all',
    action: list,
  },
  {
    usage: 'rotate <credential>',
    summary: 'replace a credential by a new one; the old one remains valid for a limited time',
    settings: [...storeSettings, 'baseUrl'],
    options: [
      new Option('--overlap <DURATION>', 'how long the old one remains valid').default('PT24H'),
      ...expiryOptions,
      ...fileOptions,
    ],
    action: rotate,
  },
  {
    usage: 'revoke <credential>',
    summary: 'revoke a credential and its tokens, within a second',
    options: removalOptions,
    action: revoke,
  },
];

async function create(call: Call): Promise<undefined> {
  const { type, label } = call.options as { type: CredentialType; label: string };
  const expiresAtMs = readExpiry(call.options);
  await handOver(call, false, ({ identity }) =>
    identity.createCredential(cliAct(), String(call.args[0]), type, label, expiresAtMs),
  );
}

async function rotate(call: Call): Promise<undefined> {
  const expiresAtMs = readExpiry(call.options);
  const overlapMs = readDurationMs('--overlap', String(call.options.overlap), 0);
  await handOver(call, false, ({ identity }) =>
    identity.rotateCredential(cliAct(), String(call.args[0]), overlapMs, expiresAtMs),
  );
}

/**
 * Creates a credential once its file can be written, and writes the file, or prints it: the only time that the secret is shown.
 * `create`: the data directory may be missing.
 */
export async function handOver(call: Call, create: boolean, make: DomainWork<NewCredential>): Promise<void> {
  const path = call.options.credentials as string | undefined;
  const place = path === undefined ? null : await CredentialsPath.take(path, call.options.force === true);
  await changeDomain(call, create, async (domain) => {
    const { credential, secret } = await make(domain);
    const apiUrl = apiUrlOf(await baseUrlOf(call.config));
    await warnOfGuess(call, apiUrl);
    const file = credentialsFile(apiUrl, credential, secret);
    const { integration, id } = credential;
    await place?.write(file);
    const result = { integration, credential: id, ...(place === null ? { file } : { path: place.path }) };
    const written = `integration ${integration}, credential ${id}, written to ${place?.path}`;
    printResult(call, result, place === null ? printJson(file) : written);
  }).catch(async (error) => {
    await place?.release();
    throw error;
  });
}

async function warnOfGuess({ config, terminal }: Call, apiUrl: string): Promise<void> {
  if (!(await isGuessedBaseUrl(config))) return;
  terminal.stderr.write(
    `tidemark: the service has not run with this data directory yet; the credentials file names ${apiUrl}; use --base-url if that will be another address\n`,
  );
}

/** Null: never. */
function readExpiry({ expires, expiresIn }: Call['options']): number | null {
  if (expiresIn !== undefined) {
    const ms = readDurationMs('--expires-in', String(expiresIn), 1);
    return Math.floor(systemClock.nowUs() / 1000) + ms;
  }
  if (expires === undefined) return null;
  const us = parseInstant(expires);
  if (Number.isNaN(us)) throw new UsageError(`--expires: ${instantProblem(expires)}`);
  return Math.floor(us / 1000);
}

const durationMsMax = 36_500 * 86_400_000;

function readDurationMs(flag: string, text: string, msMin: number): number {
  const problem = durationProblem(text);
  if (problem !== null) throw new UsageError(`${flag}: ${problem}`);
  const duration = parseDuration(text);
  const ms = duration.kind === 'fixed' ? Math.floor(duration.us / 1000) : Number.NaN;
  if (ms >= msMin && ms <= durationMsMax) return ms;
  const allowed = `a duration in days or less from ${msMin} ms to 100 years, for example P90D or PT24H`;
  throw new UsageError(`${flag} must be ${allowed}, got ${JSON.stringify(text)}`);
}

async function list(call: Call): Promise<undefined> {
  const [integration] = call.args as [string | undefined];
  const credentials = await withDomain(call, false, ({ identity }) => identity.listCredentials(integration));
  const headings = ['id', 'integration', 'type', 'label', 'created', 'last used', 'from', 'expires'];
  printRows(call, credentials.map(view), headings, (v) => [
    ...[v.id, v.integration, v.type, v.label, v.createdAt, v.lastUsedAt ?? '-'],
    ...[v.lastUsedFrom?.address ?? '-', v.expiresAt ?? '-'],
  ]);
}

function view({ createdAtMs, lastUsedAtMs, expiresAtMs, ...credential }: Credential) {
  const { id, integration, type, label, lastUsedFrom } = credential;
  return {
    ...{ id, integration, type, label },
    createdAt: printDate(createdAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : printDate(lastUsedAtMs),
    lastUsedFrom,
    expiresAt: expiresAtMs === null ? null : printDate(expiresAtMs),
  };
}

async function revoke(call: Call): Promise<undefined> {
  const id = String(call.args[0]);
  if (!(await mayRemove(call, ({ identity }) => describe(identity.listCredentials(), id)))) return;
  await changeDomain(call, false, ({ identity }) => identity.revokeCredential(cliAct(), id));
  printResult(call, { revoked: id }, `revoked credential ${id}`);
}

async function describe(credentials: Promise<readonly Credential[]>, id: string): Promise<Removal> {
  const found = (await credentials).find((credential) => credential.id === id);
  if (found === undefined) throw new UsageError(`unknown credential ${JSON.stringify(id)}`);
  const { integration, label, lastUsedAt } = view(found);
  const called = label === '' ? '' : ` ${JSON.stringify(label)}`;
  const used = lastUsedAt === null ? 'never used' : `last used at ${lastUsedAt}`;
  return {
    text: `the credential ${id}${called} of integration ${integration}, ${used}`,
    view: { credential: id, integration, label, lastUsedAt },
  };
}
