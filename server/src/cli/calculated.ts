/** `tidemark calculated …`: items whose values are a formula over other items (C1). */
import Type from 'typebox';
import type { Calculations } from '#domain/calculations/calculations';
import {
  calculatedSaveSchema,
  parseCalculated,
  viewCalculated,
  viewSaved,
  viewVersion,
} from '#methods/calculation-view';
import { idSchema } from '#methods/resource-view';
import type { Item } from '#model/signal';
import { compileReader, strict } from '#protocol/schema';
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { withDomain } from './data-directory.ts';
import { readJsonFile } from './options.ts';
import { mayRemove, removalOptions } from './removal.ts';
import { printResult } from './result.ts';
import { printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'save <file>',
    summary: 'create a calculated item from a JSON file, or replace the one with its ID or name',
    notes: `The file holds what console.calculations.save takes, for example
{"item": {"name": "COP", "visible": true}, "formula": "heat / power", "interval": "PT1M",
 "inputs": [{"id": "ITEM ID", "alias": "heat"}, {"id": "ITEM ID", "alias": "power", "aggregation": "max"}]}`,
    action: save,
  },
  { usage: 'list', summary: 'list the calculated items, by name', action: list },
  {
    usage: 'show <item>',
    summary: 'print a calculated item (ID or name) as JSON, as "calculated save" takes it',
    action: show,
  },
  {
    usage: 'versions <item>',
    summary: 'list the versions of its calculation, newest first',
    action: versions,
  },
  {
    usage: 'delete <item>',
    summary: 'delete a calculated item that no other one uses',
    options: removalOptions,
    action: remove,
  },
];

const fileSchema = Type.Object({ ...calculatedSaveSchema.properties, id: Type.Optional(idSchema) }, strict);

async function save(call: Call): Promise<undefined> {
  const { id, ...view } = compileReader(fileSchema).read(await readJsonFile(String(call.args[0])));
  const change = parseCalculated(view);
  const item = await withDomain(call, false, async ({ calculations }) => {
    const known = id ?? oneNamed(await calculations.list(), change.item.name ?? '')?.id;
    if (known === undefined) return calculations.create(cliAct(), change);
    return calculations.change(cliAct(), known, change);
  });
  const { attributes, calculation } = item;
  const version = calculation?.version;
  printResult(call, viewCalculated(item), `saved ${attributes.name} (${item.id}), version ${version}`);
}

async function list(call: Call): Promise<undefined> {
  const items = await withDomain(call, false, ({ calculations }) => calculations.list());
  const sorted = items.toSorted((a, b) => (a.attributes.name < b.attributes.name ? -1 : 1));
  const table = printTable(['name', 'id', 'version', 'interval', 'formula'], sorted.map(cellsOf));
  printResult(call, sorted.map(viewCalculated), table);
}

async function show(call: Call): Promise<undefined> {
  const item = await withDomain(call, false, ({ calculations }) => found(calculations, call));
  printResult(call, viewCalculated(item), printJson({ id: item.id, ...viewSaved(item) }));
}

async function versions(call: Call): Promise<undefined> {
  const saved = await withDomain(call, false, async ({ calculations }) =>
    calculations.versions((await found(calculations, call)).id),
  );
  const rows = saved.map(viewVersion);
  const cells = rows.map(({ version, savedAt, actor, interval, formula }) => {
    return [String(version), savedAt, actor, interval, formula];
  });
  printResult(call, rows, printTable(['version', 'saved', 'actor', 'interval', 'formula'], cells));
}

async function remove(call: Call): Promise<undefined> {
  const isConfirmed = await mayRemove(call, async ({ calculations }) => {
    const { id, attributes } = await found(calculations, call);
    return {
      text: `the calculated item ${attributes.name} (${id})`,
      view: { item: id, name: attributes.name },
    };
  });
  if (!isConfirmed) return;
  const item = await withDomain(call, false, async ({ calculations }) => {
    const item = await found(calculations, call);
    await calculations.delete(cliAct(), item.id);
    return item;
  });
  printResult(call, { deleted: item.id }, `deleted ${item.attributes.name} (${item.id})`);
}

/** The calculated item with an ID or, where only one has it, a name. */
async function found(calculations: Pick<Calculations, 'list'>, { args }: Call): Promise<Item> {
  const text = String(args[0]);
  const items = await calculations.list();
  const item = items.find(({ id }) => id === text) ?? oneNamed(items, text);
  if (item === undefined)
    throw new UsageError(`no calculated item has the ID or name ${JSON.stringify(text)}`);
  return item;
}

function oneNamed(items: readonly Item[], name: string): Item | undefined {
  const named = items.filter(({ attributes }) => attributes.name === name);
  if (named.length > 1)
    throw new UsageError(
      `${named.length} calculated items have the name ${JSON.stringify(name)}; give the ID of one`,
    );
  return named[0];
}

function cellsOf(item: Item): string[] {
  const { id, attributes, version, interval, formula } = viewCalculated(item);
  return [attributes.name, id, String(version), interval, formula];
}
