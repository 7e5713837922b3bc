/** `tidemark integration …`: the clients of the service, and the namespaces that they may use (A5). */
import { Option } from 'commander';
import type { Domain } from '#domain/domain';
import { type Grant, grantsAll } from '#model/caller';
import { storeSettings } from '#settings';
import type { CredentialType, Integration } from '#storage/meta-store';
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { fileOptions, handOver, typeOption } from './credential.ts';
import { changeDomain, type DomainWork, withDomain } from './data-directory.ts';
import { oneOf } from './options.ts';
import { mayRemove, type Removal, removalOptions } from './removal.ts';
import { printResult, printRows } from './result.ts';
import { printCount, printDate } from './terminal.ts';
import { UsageError } from './usage.ts';

const grantable = grantsAll.filter((grant) => grant !== 'integration');

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'create <name>',
    summary: 'create an integration with a first credential',
    settings: [...storeSettings, 'baseUrl'],
    options: [
      new Option('--grant <NAMESPACE>', 'grant this namespace too, may be repeated')
        .choices(grantable)
        .argParser((text: string, before: Grant[] | undefined) => [...(before ?? []), parseGrant(text)]),
      typeOption,
      ...fileOptions,
    ],
    action: create,
  },
  { usage: 'list', summary: 'list integrations', action: list },
  {
    usage: 'grant <integration> <namespace...>',
    summary: `grant namespaces to an integration: ${grantable.join(', ')}`,
    action: (call) => changeGrants(call, 'grant'),
  },
  {
    usage: 'revoke <integration> <namespace...>',
    summary: 'revoke namespaces from an integration, within a second',
    action: (call) => changeGrants(call, 'revokeGrant'),
  },
  {
    usage: 'rename <integration> <name>',
    summary: 'rename an integration',
    action: (call) =>
      change(call, ({ identity }, id) => identity.renameIntegration(cliAct(), id, String(call.args[1]))),
  },
  {
    usage: 'disable <integration>',
    summary: 'reject its credentials and tokens, within a second; its data remain',
    action: (call) => change(call, ({ identity }, id) => identity.setDisabled(cliAct(), id, true)),
  },
  {
    usage: 'enable <integration>',
    summary: 'accept the credentials of a disabled integration again',
    action: (call) => change(call, ({ identity }, id) => identity.setDisabled(cliAct(), id, false)),
  },
  {
    usage: 'delete <integration>',
    summary: 'delete an integration with its credentials, signals and points; items remain',
    options: removalOptions,
    action: remove,
  },
];

function parseGrant(text: string): Grant {
  return oneOf('a namespace', grantable, text);
}

async function create(call: Call): Promise<undefined> {
  const { grant: grants = [], type } = call.options as { grant?: Grant[]; type: CredentialType };
  await handOver(call, true, async ({ identity }) => {
    const { id } = await identity.createIntegration(cliAct(), String(call.args[0]), [...new Set(grants)]);
    return identity.createCredential(cliAct(), id, type, '');
  });
}

async function list(call: Call): Promise<undefined> {
  show(call, await withDomain(call, false, ({ identity }) => identity.listIntegrations()));
}

async function changeGrants(call: Call, method: 'grant' | 'revokeGrant'): Promise<undefined> {
  const grants = (call.args[1] as string[]).map(parseGrant);
  await change(call, async ({ identity }, id) => {
    for (const grant of grants) await identity[method](cliAct(), id, grant);
    return (await identity.listIntegrations()).find((integration) => integration.id === id) as Integration;
  });
}

/** Changes the integration of a call, and prints it. */
async function change(
  call: Call,
  work: (domain: Domain, id: string) => Promise<Integration>,
): Promise<undefined> {
  const run: DomainWork<Integration> = (domain) => work(domain, String(call.args[0]));
  show(call, [await changeDomain(call, false, run)]);
}

async function remove(call: Call): Promise<undefined> {
  const id = String(call.args[0]);
  if (!(await mayRemove(call, (domain) => describe(domain, id)))) return;
  const { signals } = await changeDomain(call, false, ({ removal }) => removal.remove(cliAct(), id));
  printResult(
    call,
    { deleted: id, signals },
    `deleted integration ${id} with ${printCount(signals, 'signal')}`,
  );
}

async function describe({ identity, removal }: Domain, id: string): Promise<Removal> {
  const integration = (await identity.listIntegrations()).find((known) => known.id === id);
  if (integration === undefined) throw new UsageError(`unknown integration ${JSON.stringify(id)}`);
  const { name } = integration;
  const { signals, credentials } = await removal.impact(id);
  return {
    text: `integration ${JSON.stringify(name)} (${id}) with ${printCount(signals, 'signal')}, their points, and ${printCount(credentials, 'credential')}`,
    view: { integration: id, name, signals, credentials },
  };
}

function show(call: Call, integrations: readonly Integration[]): void {
  const headings = ['id', 'name', 'grants', 'plan', 'created', 'state'];
  printRows(call, integrations.map(view), headings, (v) => [
    ...[v.id, v.name, v.grants.join(' '), v.plan, v.createdAt],
    v.disabledAt === null ? 'enabled' : 'disabled',
  ]);
}

function view({ id, name, grants, plan, createdAtMs, disabledAtMs }: Integration) {
  const disabledAt = disabledAtMs === null ? null : printDate(disabledAtMs);
  return { id, name, grants, plan, createdAt: printDate(createdAtMs), disabledAt };
}
