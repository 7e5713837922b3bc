/** `tidemark people …`: the people who may sign in to the console. */
import { Option } from 'commander';
import type { Role } from '#model/caller';
import type { Person } from '#model/person';
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { changeDomain, withDomain } from './data-directory.ts';
import { oneOf } from './options.ts';
import { passwordOption, readPassword } from './password-input.ts';
import { mayRemove, removalOptions } from './removal.ts';
import { printResult, printRows } from './result.ts';
import { printDate } from './terminal.ts';

const roles: readonly Role[] = ['admin', 'viewer'];

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'create <name>',
    summary: 'create a person who may sign in',
    options: [
      new Option('--role <ROLE>', 'what the person may do').choices(roles).default('viewer'),
      passwordOption,
    ],
    action: create,
  },
  { usage: 'list', summary: 'list people', action: list },
  {
    usage: 'password <name>',
    summary: 'set another password; all sessions of that person end, within a second',
    options: [passwordOption],
    action: setPassword,
  },
  {
    usage: 'role <name> <role>',
    summary: 'set the role of a person: "admin" may do everything, "viewer" may change nothing',
    action: setRole,
  },
  {
    usage: 'delete <name>',
    summary: 'delete a person; all sessions of that person end, within a second',
    options: removalOptions,
    action: remove,
  },
];

async function create(call: Call): Promise<undefined> {
  const password = await readPassword(call);
  const person = { name: String(call.args[0]), password, role: call.options.role as Role };
  const created = await changeDomain(call, true, ({ people }) => people.create(cliAct(), person));
  printResult(call, view(created), `${created.name} may sign in as ${created.role}`);
}

async function list(call: Call): Promise<undefined> {
  const people = await withDomain(call, false, async ({ people }) => people.list());
  printRows(call, people.map(view), ['id', 'name', 'role', 'created'], Object.values);
}

async function setPassword(call: Call): Promise<undefined> {
  await change(call, { password: await readPassword(call) }, 'has another password');
}

async function setRole(call: Call): Promise<undefined> {
  const role = oneOf('a role', roles, String(call.args[1]));
  await change(call, { role }, `may sign in as ${role}`);
}

async function change(
  call: Call,
  what: { role?: Role; password?: string },
  outcome: string,
): Promise<undefined> {
  const person = await changeDomain(call, false, ({ people }) =>
    people.update(cliAct(), people.named(String(call.args[0])).id, what),
  );
  printResult(call, view(person), `${person.name} ${outcome}`);
}

async function remove(call: Call): Promise<undefined> {
  const given = String(call.args[0]);
  const isConfirmed = await mayRemove(call, async ({ people }) => {
    const { name, role } = people.named(given);
    return { text: `the person ${name} (${role}) and their sessions`, view: { name, role } };
  });
  if (!isConfirmed) return;
  await changeDomain(call, false, ({ people }) => people.remove(cliAct(), people.named(given).id));
  printResult(call, { deleted: given }, `deleted ${given}`);
}

function view({ id, name, role, createdAtMs }: Person) {
  return { id, name, role, createdAt: printDate(createdAtMs) };
}
