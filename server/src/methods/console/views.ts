/** console.views.*: saved views of the explorer, which all people share (A5g). */
import Type from 'typebox';
import type { People } from '#domain/people/people';
import type { SavedViews } from '#domain/people/saved-views';
import type { SavedView } from '#model/saved-view';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { actOf, personOf } from '../act.ts';
import { printDate } from '../attributes-view.ts';
import { dateSchema, doneSchema, idParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

const nameSchema = Type.String({ description: '1-128 characters; each person uses a name once.' });
const querySchema = Type.String({
  description: "Everything that it shows: the query of the explorer's address, at most 8,192 characters.",
});

const viewSchema = Type.Object(
  {
    id: idParam('saved view'),
    name: nameSchema,
    query: querySchema,
    owner: Type.Object(
      {
        id: idParam('person'),
        name: Type.Union([Type.String(), Type.Null()], { description: 'Null: the person is gone.' }),
      },
      strict,
    ),
    mine: Type.Boolean({ description: 'Whether it was saved by who makes this call.' }),
    createdAt: dateSchema,
    updatedAt: dateSchema,
  },
  { ...strict, title: 'SavedView' },
);

interface Services {
  savedViews: SavedViews;
  people: People;
}

/** The definitions. */
export function consoleViews(services: Services): Method[] {
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.views.list',
      summary: 'Lists the saved views of everybody, by name.',
      params: Type.Object({}),
      result: Type.Object({ views: Type.Array(viewSchema) }, strict),
      async run(call) {
        const me = personOf(call).id;
        return { views: (await services.savedViews.list()).map((one) => view(services, one, me)) };
      },
    }),
    defineConsole({
      role: 'viewer',
      name: 'console.views.save',
      summary: 'Saves a view, in the place of your own one of the same name.',
      params: Type.Object({ name: nameSchema, query: querySchema }),
      result: viewSchema,
      async run(call, { name, query }) {
        const owner = personOf(call).id;
        return view(services, await services.savedViews.save({ owner, name, query }), owner);
      },
    }),
    defineConsole({
      role: 'viewer',
      name: 'console.views.delete',
      summary: "Deletes a saved view of yours; for an administrator anybody's.",
      params: Type.Object({ id: idParam('saved view') }),
      result: doneSchema,
      async run(call, { id }) {
        const me = personOf(call);
        await services.savedViews.remove(actOf(call), id, me.role === 'admin' ? null : me.id);
        return {};
      },
    }),
  ];
}

function view({ people }: Services, saved: SavedView, me: string) {
  const { id, name, query, owner, createdAtMs, updatedAtMs } = saved;
  const person = people.list().find((one) => one.id === owner);
  return {
    id,
    name,
    query,
    owner: { id: owner, name: person?.name ?? null },
    mine: owner === me,
    createdAt: printDate(createdAtMs),
    updatedAt: printDate(updatedAtMs),
  };
}
