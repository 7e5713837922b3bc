/** `tidemark credential …`: how an integration proves who it is (A4). Secrets are shown or written once, here. */
import { type Command, Option } from 'commander';
import type { Domain } from '#domain/domain';
import { apiUrlOf, credentialsFile } from '#domain/identity/credentials-file';
import type { NewCredential } from '#domain/identity/identity';
import { durationProblem, parseDuration } from '#model/duration';
import { instantProblem, parseInstant } from '#model/instant';
import type { Credential, CredentialType } from '#storage/meta-store';
import { systemClock } from '#system-environment';
import { cliAct } from './act.ts';
import { type Call, define, type Runner } from './command.ts';
import { CredentialsPath } from './credentials-path.ts';
import { baseUrlOf, changeDomain, isGuessedBaseUrl, withDomain } from './data-directory.ts';
import { mayRemove, type Removal, removalOptions } from './removal.ts';
import { printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

/** Adds the commands. */
export function defineCredential(root: Command, run: Runner): void {
  const group = root.command('credential').summary('manage the credentials of integrations');
  define(group, run, {
    usage: 'create <integration>',
    summary: 'create a further credential',
    settings: ['data', 'baseUrl'],
    options: [
      typeOption(),
      new Option('--label <TEXT>', 'what it is for').default(''),
      ...expiryOptions(),
      new Option('--credentials <FILE>', 'write the credentials file here instead of to stdout'),
      forceOption(),
    ],
    action: create,
  });
  define(group, run, {
    usage: 'list [integration]',
    summary: 'list credentials, of one integration or of all',
    settings: ['data'],
    action: list,
  });
  define(group, run, {
    usage: 'rotate <credential>',
    summary: 'replace a credential by a new one; the old one stays valid for a while',
    settings: ['data', 'baseUrl'],
    options: [
      new Option('--overlap <DURATION>', 'how long the old one stays valid').default('PT24H'),
      ...expiryOptions(),
      new Option('--credentials <FILE>', 'write the credentials file here instead of to stdout'),
      forceOption(),
    ],
    action: rotate,
  });
  define(group, run, {
    usage: 'revoke <credential>',
    summary: 'end a credential and its tokens, within a second',
    settings: ['data'],
    options: removalOptions(),
    action: revoke,
  });
}

/** The flags that say when a new credential ends. */
function expiryOptions(): Option[] {
  return [
    new Option('--expires <TIME>', 'RFC 3339 time after which it is refused').conflicts('expiresIn'),
    new Option('--expires-in <DURATION>', 'how long it is valid, for example P90D'),
  ];
}

/** The flag that chooses how a credential proves itself. */
export function typeOption(): Option {
  const types: CredentialType[] = ['client-credentials', 'basic-auth'];
  return new Option('--type <TYPE>', 'kind of credential').choices(types).default('client-credentials');
}

/** The flag that allows to replace a file. */
export function forceOption(): Option {
  return new Option('--force', 'replace an existing credentials file').default(false);
}

/** A new credential on its way to its owner. */
export interface Handover {
  /** Ends in `/v1/`. */
  apiUrl: string;
  created: NewCredential;
  /** Null: stdout. */
  place: CredentialsPath | null;
}

/** Writes the credentials file to its place or to stdout; this is the only time that the secret is seen. */
export async function handOver(
  { config, terminal }: Call,
  { apiUrl, created, place }: Handover,
): Promise<void> {
  const { credential, secret } = created;
  const file = credentialsFile(apiUrl, credential, secret);
  const { integration, id } = credential;
  if (await isGuessedBaseUrl(config)) {
    terminal.stderr.write(
      `tidemark: the service has not run with this data directory yet; the credentials file names ${apiUrl}; use --base-url if that will be another address\n`,
    );
  }
  if (place === null) {
    terminal.stdout.write(printJson(config.settings.json ? { integration, credential: id, file } : file));
    return;
  }
  await place.write(file);
  const text = `integration ${integration}, credential ${id}, written to ${place.path}\n`;
  terminal.stdout.write(
    config.settings.json ? printJson({ integration, credential: id, path: place.path }) : text,
  );
}

async function create(call: Call): Promise<undefined> {
  const { options } = call;
  const expiresAtMs = readExpiry(options);
  await handOverNew(call, ({ identity }) =>
    identity.createCredential(
      cliAct(),
      String(call.args[0]),
      options.type as CredentialType,
      String(options.label),
      expiresAtMs,
    ),
  );
}

async function rotate(call: Call): Promise<undefined> {
  const { options } = call;
  const expiresAtMs = readExpiry(options);
  const overlapMs = readDurationMs('--overlap', String(options.overlap), 0);
  await handOverNew(call, ({ identity }) =>
    identity.rotateCredential(cliAct(), String(call.args[0]), overlapMs, expiresAtMs),
  );
}

/** Makes a credential when there is a place for its file, and puts it there. */
async function handOverNew(call: Call, make: (domain: Domain) => Promise<NewCredential>): Promise<void> {
  const path = call.options.credentials as string | undefined;
  const place = path === undefined ? null : await CredentialsPath.take(path, call.options.force === true);
  await changeDomain(call, false, async (domain) => {
    const created = await make(domain);
    await handOver(call, { apiUrl: apiUrlOf(await baseUrlOf(call.config)), created, place });
  }).catch(async (error) => {
    await place?.release();
    throw error;
  });
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
  const views = credentials.map(view);
  if (call.config.settings.json) {
    call.terminal.stdout.write(printJson(views));
    return;
  }
  const headings = ['id', 'integration', 'type', 'label', 'created', 'last used', 'from', 'expires'];
  const rows = views.map((v) => [
    v.id,
    v.integration,
    v.type,
    v.label,
    v.createdAt,
    v.lastUsedAt ?? '-',
    v.lastUsedFrom?.address ?? '-',
    v.expiresAt ?? '-',
  ]);
  call.terminal.stdout.write(printTable(headings, rows));
}

function view(credential: Credential) {
  const { id, integration, type, label, createdAtMs, lastUsedAtMs, lastUsedFrom, expiresAtMs } = credential;
  return {
    id,
    integration,
    type,
    label,
    createdAt: isoDate(createdAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : isoDate(lastUsedAtMs),
    lastUsedFrom,
    expiresAt: expiresAtMs === null ? null : isoDate(expiresAtMs),
  };
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString();
}

async function revoke(call: Call): Promise<undefined> {
  const id = String(call.args[0]);
  if (!(await mayRemove(call, ({ identity }) => describe(identity, id)))) return;
  await changeDomain(call, false, ({ identity }) => identity.revokeCredential(cliAct(), id));
  call.terminal.stdout.write(
    call.config.settings.json ? printJson({ revoked: id }) : `revoked credential ${id}\n`,
  );
}

async function describe(identity: Domain['identity'], id: string): Promise<Removal> {
  const found = (await identity.listCredentials()).find((credential) => credential.id === id);
  if (found === undefined) throw new UsageError(`unknown credential ${JSON.stringify(id)}`);
  const { integration, label, lastUsedAt } = view(found);
  const called = label === '' ? '' : ` ${JSON.stringify(label)}`;
  return {
    text: `the credential ${id}${called} of integration ${integration}, ${lastUsedAt === null ? 'never used' : `last used at ${lastUsedAt}`}`,
    view: { credential: id, integration, label, lastUsedAt },
  };
}
