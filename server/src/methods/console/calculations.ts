/** console.calculations.*: calculated items (C1). */
import Type from 'typebox';
import type { Item } from '#model/signal';
import type { Method } from '#protocol/method';
import { closed, nullable } from '#protocol/schema';
import { actOf } from '../act.ts';
import {
  calculatedSaveSchema,
  calculatedSchema,
  parseCalculated,
  versionSchema,
  viewCalculated,
  viewVersion,
} from '../calculation-view.ts';
import { idSchema } from '../resource-view.ts';
import type { MethodServices } from '../services.ts';
import { idParam } from './console-schemas.ts';
import { defineAct, defineConsole, defineView } from './define-console.ts';
import { actorNameIn, namesOf } from './names.ts';

const id = idParam('item');
const namedSchema = closed({ id: idSchema, name: Type.String(), calculated: Type.Boolean() });

type Services = Pick<MethodServices, 'calculations' | 'people' | 'identity'>;

/** The definitions. */
export function consoleCalculations(services: Services): Method[] {
  const { calculations } = services;
  return [
    defineView({
      name: 'console.calculations.list',
      summary: 'Lists the calculated items, by ID (C1).',
      result: closed({ items: Type.Array(calculatedSchema) }),
      run: async () => ({ items: (await calculations.list()).map(viewCalculated) }),
    }),
    usesMethod(services),
    defineConsole({
      role: 'viewer',
      name: 'console.calculations.versions',
      summary: 'Lists the versions of the calculation of an item, newest first (C7).',
      params: Type.Object({ id }),
      result: closed({ versions: Type.Array(versionSchema) }),
      async run(_, params) {
        const versions = await calculations.versions(params.id);
        const names = await namesOf(services);
        return {
          versions: versions.map((version) => {
            return { ...viewVersion(version), actorName: actorNameIn(names, version.actor) };
          }),
        };
      },
    }),
    defineConsole({
      name: 'console.calculations.save',
      summary: 'Creates a calculated item, or replaces the one with an ID.',
      params: Type.Object({ ...calculatedSaveSchema.properties, id: Type.Optional(id) }),
      result: calculatedSchema,
      async run(call, { id: known, ...view }) {
        const change = parseCalculated(view);
        const act = actOf(call);
        const saved =
          known === undefined
            ? await calculations.create(act, change)
            : await calculations.change(act, known, change);
        return viewCalculated(saved);
      },
    }),
    defineAct({
      name: 'console.calculations.delete',
      summary: 'Deletes a calculated item that no other one uses, with its versions.',
      params: Type.Object({ id }),
      act: (call, params) => calculations.delete(actOf(call), params.id),
    }),
  ];
}

function usesMethod({ calculations }: Pick<Services, 'calculations'>): Method {
  return defineConsole({
    role: 'viewer',
    name: 'console.calculations.show',
    summary: 'Returns how an item is calculated, of which items, and which calculated items use it.',
    params: Type.Object({ id }),
    result: closed({
      item: nullable(calculatedSchema, { description: 'Null: the item is not calculated.' }),
      inputs: Type.Array(namedSchema, { description: 'The items that its formula uses, by ID.' }),
      usedBy: Type.Array(namedSchema, { description: 'The calculated items that use it, by ID.' }),
    }),
    async run(_, params) {
      const { item, inputs, usedBy } = await calculations.uses(params.id);
      return {
        item: item.calculation === null ? null : viewCalculated(item),
        inputs: byId(inputs).map(viewNamed),
        usedBy: byId(usedBy).map(viewNamed),
      };
    },
  });
}

function byId(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function viewNamed({ id, attributes, calculation }: Item) {
  return { id, name: attributes.name, calculated: calculation !== null };
}
