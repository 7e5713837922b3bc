/** console.views.*: saved views of the explorer, which all people share (A5g). */
import Type from 'typebox';
import type { SavedView } from '#model/saved-view';
import type { Method } from '#protocol/method';
import { closed, nullable, titled } from '#protocol/schema';
import { actOf, personOf } from '../act.ts';
import type { MethodServices } from '../services.ts';
import { dateSchema, idParam, viewAs } from './console-schemas.ts';
import { defineAct, defineConsole, defineView } from './define-console.ts';

const nameSchema = Type.String({ description: '1-128 characters; unique for each person.' });
const querySchema = Type.String({
  description: "The query string of the explorer's address, at most 8,192 characters.",
});

const viewSchema = titled('SavedView', {
  id: idParam('saved view'),
  name: nameSchema,
  query: querySchema,
  owner: closed({
    id: idParam('person'),
    name: nullable(Type.String(), { description: 'Null: the person was deleted.' }),
  }),
  mine: Type.Boolean({ description: 'Whether the caller saved it.' }),
  createdAt: dateSchema,
  updatedAt: dateSchema,
});

type Services = Pick<MethodServices, 'savedViews' | 'people'>;

/** The definitions. */
export function consoleViews(services: Services): Method[] {
  return [
    defineView({
      name: 'console.views.list',
      summary: 'Lists the saved views of all people, by name.',
      result: closed({ views: Type.Array(viewSchema) }),
      async run(call) {
        const me = personOf(call).id;
        return { views: (await services.savedViews.list()).map((one) => view(services, one, me)) };
      },
    }),
    defineConsole({
      role: 'viewer',
      name: 'console.views.save',
      summary: 'Saves a view; replaces your view of the same name.',
      params: Type.Object({ name: nameSchema, query: querySchema }),
      result: viewSchema,
      async run(call, { name, query }) {
        const owner = personOf(call).id;
        return view(services, await services.savedViews.save({ owner, name, query }), owner);
      },
    }),
    defineAct({
      role: 'viewer',
      name: 'console.views.delete',
      summary: 'Deletes one of your saved views; for administrators, any view.',
      params: Type.Object({ id: idParam('saved view') }),
      async act(call, { id }) {
        const me = personOf(call);
        await services.savedViews.remove(actOf(call), id, me.role === 'admin' ? null : me.id);
      },
    }),
  ];
}

function view({ people }: Services, saved: SavedView, me: string) {
  const person = people.list().find(({ id }) => id === saved.owner);
  const owner = { id: saved.owner, name: person?.name ?? null };
  return viewAs(viewSchema, { ...saved, owner, mine: saved.owner === me });
}
