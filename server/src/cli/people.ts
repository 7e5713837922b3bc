/** `tidemark people …`: who may sign in to the console. */
import { type Command, Option } from 'commander';
import type { Role } from '#model/caller';
import type { Person } from '#model/person';
import { cliAct } from './act.ts';
import { type Call, define, type Runner } from './command.ts';
import { changeDomain, withDomain } from './data-directory.ts';
import { passwordOption, readPassword } from './password-input.ts';
import { mayRemove, type Removal, removalOptions } from './removal.ts';
import { printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

const roles: readonly Role[] = ['admin', 'viewer'];

/** Adds the commands. */
export function definePeople(root: Command, run: Runner): void {
  const group = root.command('people').summary('manage the people who may sign in to the console');
  define(group, run, {
    usage: 'create <name>',
    summary: 'let a person sign in',
    settings: ['data'],
    options: [roleOption('viewer'), passwordOption()],
    action: create,
  });
  define(group, run, { usage: 'list', summary: 'list people', settings: ['data'], action: list });
  define(group, run, {
    usage: 'password <name>',
    summary: 'set another password; all sessions of that person end, within a second',
    settings: ['data'],
    options: [passwordOption()],
    action: setPassword,
  });
  define(group, run, {
    usage: 'role <name> <role>',
    summary: 'make a person an "admin", who may do everything, or a "viewer", who may only look',
    settings: ['data'],
    action: setRole,
  });
  define(group, run, {
    usage: 'delete <name>',
    summary: 'remove a person; all sessions of that person end, within a second',
    settings: ['data'],
    options: removalOptions(),
    action: remove,
  });
}

function roleOption(usual: Role): Option {
  return new Option('--role <ROLE>', 'what the person may do').choices(roles).default(usual);
}

async function create(call: Call): Promise<undefined> {
  const password = await readPassword(call);
  const person = { name: String(call.args[0]), password, role: call.options.role as Role };
  const created = await changeDomain(call, true, ({ people }) => people.create(cliAct(), person));
  say(call, view(created), `${created.name} may sign in as ${created.role}`);
}

async function list(call: Call): Promise<undefined> {
  const views = (await withDomain(call, false, async ({ people }) => people.list())).map(view);
  const rows = views.map(({ id, name, role, createdAt }) => [id, name, role, createdAt]);
  say(call, views, printTable(['id', 'name', 'role', 'created'], rows).trimEnd());
}

async function setPassword(call: Call): Promise<undefined> {
  const password = await readPassword(call);
  await change(call, { password }, 'has another password');
}

async function setRole(call: Call): Promise<undefined> {
  const role = parseRole(String(call.args[1]));
  await change(call, { role }, `may sign in as ${role}`);
}

function parseRole(text: string): Role {
  const role = roles.find((known) => known === text);
  if (role !== undefined) return role;
  throw new UsageError(`a role must be one of ${roles.join(' ')}, got ${JSON.stringify(text)}`);
}

async function change(
  call: Call,
  what: { role?: Role; password?: string },
  words: string,
): Promise<undefined> {
  const person = await changeDomain(call, false, ({ people }) =>
    people.update(cliAct(), people.named(String(call.args[0])).id, what),
  );
  say(call, view(person), `${person.name} ${words}`);
}

async function remove(call: Call): Promise<undefined> {
  const name = String(call.args[0]);
  if (!(await mayRemove(call, async ({ people }) => describe(people.named(name))))) return;
  await changeDomain(call, false, ({ people }) => people.remove(cliAct(), people.named(name).id));
  say(call, { deleted: name }, `removed ${name}`);
}

function describe({ name, role }: Person): Removal {
  return { text: `the person ${name} (${role}) and their sessions`, view: { name, role } };
}

function say({ config, terminal }: Call, value: unknown, text: string): void {
  terminal.stdout.write(config.settings.json ? printJson(value) : `${text}\n`);
}

function view({ id, name, role, createdAtMs }: Person) {
  return { id, name, role, createdAt: new Date(createdAtMs).toISOString() };
}
