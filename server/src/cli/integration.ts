/** `tidemark integration …`: who may use the service, and which namespaces (A5). */
import { type Command, Option } from 'commander';
import type { Domain } from '#domain/domain';
import { apiUrlOf } from '#domain/identity/credentials-file';
import { type Grant, grantsAll } from '#model/caller';
import { matchAll } from '#model/filter';
import type { CredentialType, Integration } from '#storage/meta-store';
import { cliAct } from './act.ts';
import { type Call, define, type Runner } from './command.ts';
import { forceOption, handOver, typeOption } from './credential.ts';
import { CredentialsPath } from './credentials-path.ts';
import { baseUrlOf, changeDomain, withDomain } from './data-directory.ts';
import { mayRemove, type Removal, removalOptions } from './removal.ts';
import { printCount, printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

const grantable = grantsAll.filter((grant) => grant !== 'integration');

/** Adds the commands. */
export function defineIntegration(root: Command, run: Runner): void {
  const group = root.command('integration').summary('manage integrations: the clients of the service');
  define(group, run, {
    usage: 'create <name>',
    summary: 'create an integration with a first credential',
    settings: ['data', 'baseUrl'],
    options: [
      new Option('--grant <NAMESPACE>', 'also let it use this namespace, may be repeated')
        .choices(grantable)
        .argParser(collectGrant),
      new Option('--credentials <FILE>', 'write the credentials file here instead of to stdout'),
      typeOption(),
      forceOption(),
    ],
    action: create,
  });
  define(group, run, {
    usage: 'list',
    summary: 'list integrations',
    settings: ['data'],
    action: list,
  });
  define(group, run, {
    usage: 'grant <integration> <namespace...>',
    summary: `let an integration use namespaces: ${grantable.join(', ')}`,
    settings: ['data'],
    action: (call) => changeGrants(call, true),
  });
  define(group, run, {
    usage: 'revoke <integration> <namespace...>',
    summary: 'take namespaces from an integration, within a second',
    settings: ['data'],
    action: (call) => changeGrants(call, false),
  });
  define(group, run, {
    usage: 'rename <integration> <name>',
    summary: 'give an integration another name',
    settings: ['data'],
    action: rename,
  });
  define(group, run, {
    usage: 'disable <integration>',
    summary: 'refuse its credentials and tokens, within a second; what it has stored stays',
    settings: ['data'],
    action: (call) => setDisabled(call, true),
  });
  define(group, run, {
    usage: 'enable <integration>',
    summary: 'accept the credentials of a disabled integration again',
    settings: ['data'],
    action: (call) => setDisabled(call, false),
  });
  define(group, run, {
    usage: 'delete <integration>',
    summary: 'delete an integration with its credentials, signals and points; items stay',
    settings: ['data'],
    options: removalOptions(),
    action: remove,
  });
}

function parseGrant(text: string): Grant {
  const grant = grantable.find((name) => name === text);
  if (grant !== undefined) return grant;
  throw new UsageError(`a namespace must be one of ${grantable.join(' ')}, got ${JSON.stringify(text)}`);
}

function collectGrant(text: string, previous: Grant[] | undefined): Grant[] {
  return [...(previous ?? []), parseGrant(text)];
}

async function create(call: Call): Promise<undefined> {
  const { options } = call;
  const grants = [...new Set((options.grant as Grant[] | undefined) ?? [])];
  const path = options.credentials as string | undefined;
  const place = path === undefined ? null : await CredentialsPath.take(path, options.force === true);
  await changeDomain(call, true, async ({ identity }) => {
    const integration = await identity.createIntegration(cliAct(), String(call.args[0]), grants);
    const created = await identity.createCredential(
      cliAct(),
      integration.id,
      options.type as CredentialType,
      '',
    );
    const apiUrl = apiUrlOf(await baseUrlOf(call.config));
    await handOver(call, { apiUrl, created, place });
  }).catch(async (error) => {
    await place?.release();
    throw error;
  });
}

async function list(call: Call): Promise<undefined> {
  const integrations = await withDomain(call, false, ({ identity }) => identity.listIntegrations());
  show(call, integrations);
}

async function changeGrants(call: Call, isGranted: boolean): Promise<undefined> {
  const [id, names] = call.args as [string, string[]];
  const grants = names.map(parseGrant);
  await changeDomain(call, false, async ({ identity }) => {
    for (const grant of grants) {
      await (isGranted ? identity.grant(cliAct(), id, grant) : identity.revokeGrant(cliAct(), id, grant));
    }
    show(
      call,
      (await identity.listIntegrations()).filter((integration) => integration.id === id),
    );
  });
}

async function rename(call: Call): Promise<undefined> {
  const [id, name] = call.args.map(String);
  const renamed = await changeDomain(call, false, ({ identity }) =>
    identity.renameIntegration(cliAct(), id, name),
  );
  show(call, [renamed]);
}

async function setDisabled(call: Call, isDisabled: boolean): Promise<undefined> {
  const changed = await changeDomain(call, false, ({ identity }) =>
    identity.setDisabled(cliAct(), String(call.args[0]), isDisabled),
  );
  show(call, [changed]);
}

async function remove(call: Call): Promise<undefined> {
  const id = String(call.args[0]);
  if (!(await mayRemove(call, (domain) => describe(domain, id)))) return;
  const signals = await changeDomain(call, false, async ({ identity, series }) => {
    const numbers = await identity.deleteIntegration(cliAct(), id);
    if (numbers.length > 0) await series.deleteSignals(numbers);
    return numbers.length;
  });
  const text = `deleted integration ${id} with ${printCount(signals, 'signal')}\n`;
  call.terminal.stdout.write(call.config.settings.json ? printJson({ deleted: id, signals }) : text);
}

async function describe({ identity, signals }: Domain, id: string): Promise<Removal> {
  const integration = (await identity.listIntegrations()).find((known) => known.id === id);
  if (integration === undefined) throw new UsageError(`unknown integration ${JSON.stringify(id)}`);
  const credentials = (await identity.listCredentials(id)).length;
  const query = { filter: matchAll, sort: [], limit: 1, skip: 0, total: true };
  const count = (await signals.selectSignals(query, id)).total ?? 0;
  const { name } = integration;
  return {
    text: `integration ${JSON.stringify(name)} (${id}) with ${printCount(count, 'signal')}, their points, and ${printCount(credentials, 'credential')}`,
    view: { integration: id, name, signals: count, credentials },
  };
}

function show({ config, terminal }: Call, integrations: readonly Integration[]): void {
  if (config.settings.json) {
    terminal.stdout.write(printJson(integrations.map(view)));
    return;
  }
  const rows = integrations
    .map(view)
    .map(({ id, name, grants, plan, createdAt, disabledAt }) => [
      ...[id, name, grants.join(' '), plan, createdAt],
      disabledAt === null ? 'enabled' : 'disabled',
    ]);
  terminal.stdout.write(printTable(['id', 'name', 'grants', 'plan', 'created', 'state'], rows));
}

function view({ id, name, grants, plan, createdAtMs, disabledAtMs }: Integration) {
  const disabledAt = disabledAtMs === null ? null : isoDate(disabledAtMs);
  return { id, name, grants, plan, createdAt: isoDate(createdAtMs), disabledAt };
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString();
}
