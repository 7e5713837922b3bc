/** console.people.*, console.password.change and console.sessions.*: people and their sessions. */
import Type from 'typebox';
import type { Person, Session } from '#model/person';
import type { Method } from '#protocol/method';
import { closed, titled } from '#protocol/schema';
import { actOf, personOf } from '../act.ts';
import type { MethodServices } from '../services.ts';
import { dateSchema, idParam, roleSchema, viewAs } from './console-schemas.ts';
import { defineAct, defineConsole, defineView } from './define-console.ts';

const nameSchema = Type.String({ description: '1-64 characters; unique, ignoring case.' });
const passwordSchema = Type.String({ description: '12-256 characters.' });

const personSchema = titled('Person', {
  id: idParam('person'),
  name: nameSchema,
  role: roleSchema,
  createdAt: dateSchema,
});

const sessionSchema = titled('Session', {
  id: idParam('session'),
  person: closed({ id: idParam('person'), name: Type.String() }),
  createdAt: dateSchema,
  usedAt: Type.String({ description: 'RFC 3339, UTC; up to a minute late.' }),
  expiresAt: dateSchema,
  address: Type.String({ description: 'IP address from which it was created.' }),
  userAgent: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session of this call.' }),
});

type Services = Pick<MethodServices, 'people' | 'sessions'>;

/** The definitions. */
export function consolePeople(services: Services): Method[] {
  return [...peopleMethods(services), ...ownMethods(services)];
}

function peopleMethods(services: Services): Method[] {
  return [
    defineConsole({
      name: 'console.people.list',
      summary: 'Lists the people who may sign in, oldest first.',
      params: Type.Object({}),
      result: closed({ people: Type.Array(personSchema) }),
      run: async () => ({ people: services.people.list().map(viewPerson) }),
    }),
    defineConsole({
      name: 'console.people.create',
      summary: 'Creates a person.',
      params: Type.Object({ name: nameSchema, password: passwordSchema, role: roleSchema }),
      result: personSchema,
      run: async (call, params) => viewPerson(await services.people.create(actOf(call), params)),
    }),
    defineConsole({
      name: 'console.people.update',
      summary: "Changes a person's role or password; a new password ends all sessions of that person.",
      params: Type.Object({
        id: idParam('person'),
        role: Type.Optional(roleSchema),
        password: Type.Optional(passwordSchema),
      }),
      result: personSchema,
      run: async (call, { id, ...change }) =>
        viewPerson(await services.people.update(actOf(call), id, change)),
    }),
    defineAct({
      name: 'console.people.delete',
      summary: 'Deletes a person, and ends all sessions of that person.',
      params: Type.Object({ id: idParam('person') }),
      act: (call, { id }) => services.people.remove(actOf(call), id),
    }),
  ];
}

/** The methods by which people manage their own account. */
function ownMethods(services: Services): Method[] {
  return [
    defineAct({
      role: 'viewer',
      name: 'console.password.change',
      summary: 'Changes your password; your other sessions end.',
      params: Type.Object({
        current: Type.String({ description: 'Your current password.' }),
        next: passwordSchema,
      }),
      async act(call, { current, next }) {
        const { id, session } = personOf(call);
        await services.people.changePassword(actOf(call), { id, session, current, next });
      },
    }),
    defineView({
      name: 'console.sessions.list',
      summary: 'Lists your sessions; for administrators, the sessions of all people.',
      result: closed({ sessions: Type.Array(sessionSchema) }),
      async run(call) {
        const me = personOf(call);
        const names = new Map(services.people.list().map(({ id, name }) => [id, name]));
        const sessions = services.sessions.list(me.role === 'admin' ? null : me.id);
        return { sessions: sessions.map((session) => viewSession(session, names, me.session)) };
      },
    }),
    defineAct({
      role: 'viewer',
      name: 'console.sessions.revoke',
      summary: 'Ends one of your sessions; for administrators, any session.',
      params: Type.Object({ id: idParam('session') }),
      async act(call, { id }) {
        const me = personOf(call);
        await services.sessions.end(actOf(call), id, me.role === 'admin' ? null : me.id);
      },
    }),
  ];
}

function viewPerson(person: Person) {
  return viewAs(personSchema, person);
}

function viewSession(session: Session, names: ReadonlyMap<string, string>, current: string) {
  const person = { id: session.person, name: names.get(session.person) ?? '' };
  return viewAs(sessionSchema, { ...session, person, current: session.id === current });
}
