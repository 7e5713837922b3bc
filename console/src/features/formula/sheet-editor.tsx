/** Edits a sheet: items under aliases, then calculations with their formulas. */
import { lazy, Suspense, useId, useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Item } from '../explorer/item.ts';
import { ItemPicker } from '../explorer/item-picker.tsx';
import type { SheetFaults } from './evaluation.ts';
import {
  aliasPattern,
  callAround,
  type FormulaFault,
  functions,
  isTakenWord,
  type KnownAlias,
  tokensOf,
} from './language.ts';
import { unitOf } from './preview.ts';
import {
  addItem,
  aggregations,
  aliasesBefore,
  aliasesOf,
  freeAlias,
  isStateAggregation,
  renameAlias,
  type Sheet,
  type SheetItem,
  sheetLimits,
} from './sheet.ts';

const FormulaEditor = lazy(() => import('./editor.tsx'));

/** What {@link SheetEditor} takes. */
export interface SheetEditorProps {
  sheet: Sheet;
  onChange(sheet: Sheet): void;
  items: readonly Item[];
  faults: SheetFaults;
  onRun(): void;
  /** Called with the calculation that was edited last, and where: for text inserted from elsewhere. */
  onPlace(place: { calculation: number; position: number }): void;
}

/** The editor of a sheet, with its limits. */
export function SheetEditor(props: SheetEditorProps) {
  const { sheet, onChange, items } = props;
  const addCalculation = () => {
    const alias = freeAlias(`c${sheet.calculations.length + 1}`, aliasesOf(sheet));
    onChange({ ...sheet, calculations: [...sheet.calculations, { alias, formula: '' }] });
  };
  return (
    <div className="stack">
      <section className="card" aria-label="Items">
        <div className="card-head">
          <h2>Items</h2>
          <Meter
            count={new Set(sheet.items.map(({ id }) => id)).size}
            most={sheetLimits.items}
            what="items"
          />
        </div>
        <div className="card-body sheet-body">
          <ul className="sheet-list">
            {sheet.items.map((entry, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an alias changes while it is typed, the place does not
              <ItemRow key={place} {...props} entry={entry} item={items.find(({ id }) => id === entry.id)} />
            ))}
          </ul>
          <ItemPicker
            chosen={new Set()}
            onAdd={(item) => onChange(addItem(sheet, item))}
            isFull={sheet.items.length >= sheetLimits.items}
          />
        </div>
      </section>
      <section className="card" aria-label="Calculations">
        <div className="card-head">
          <h2>Calculations</h2>
          <Meter count={sheet.calculations.length} most={sheetLimits.calculations} what="calculations" />
        </div>
        <div className="card-body sheet-body">
          <ol className="sheet-list">
            {sheet.calculations.map((_, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <CalculationRow key={place} {...props} place={place} />
            ))}
          </ol>
          <div className="line">
            <Button
              icon="plus"
              onPress={addCalculation}
              isDisabled={sheet.calculations.length >= sheetLimits.calculations}
            >
              Add a calculation
            </Button>
          </div>
        </div>
      </section>
    </div>
  );
}

/** How much of a limit is used, in words and as a bar. */
function Meter({ count, most, what }: { count: number; most: number; what: string }) {
  return (
    <span className="limit quiet small figures">
      <meter min={0} max={most} high={most * 0.9} value={count} aria-label={`${what} used`} />
      {count} of {most}
    </span>
  );
}

function ItemRow({
  sheet,
  onChange,
  entry,
  item,
}: SheetEditorProps & { entry: SheetItem; item: Item | undefined }) {
  const change = (parts: Partial<SheetItem>) =>
    onChange({ ...sheet, items: sheet.items.map((each) => (each === entry ? { ...each, ...parts } : each)) });
  const remove = () => onChange({ ...sheet, items: sheet.items.filter((each) => each !== entry) });
  const name = item?.name ?? entry.id;
  return (
    <li className="sheet-item">
      <AliasField sheet={sheet} onChange={onChange} alias={entry.alias} label={`Alias of ${name}`} />
      <span className="grow cut" title={name}>
        {name}
        {item?.unit ? <span className="quiet"> {item.unit}</span> : null}
      </span>
      <IconButton isTiny label={`Remove ${name}`} icon="close" onPress={remove} />
      <span className="sheet-choice">
        <select
          className="input"
          aria-label={`Aggregation of ${name}`}
          value={entry.aggregation}
          onChange={({ target }) => change({ aggregation: target.value })}
        >
          {Object.entries(aggregations).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        {isStateAggregation(entry.aggregation) && <StateChoice entry={entry} item={item} change={change} />}
      </span>
    </li>
  );
}

function StateChoice({
  entry,
  item,
  change,
}: {
  entry: SheetItem;
  item: Item | undefined;
  change(parts: Partial<SheetItem>): void;
}) {
  const states = new Map(item?.states);
  const state = entry.state ?? 0;
  if (!states.has(state)) states.set(state, `state ${state}`);
  return (
    <select
      className="input"
      aria-label={`State of ${item?.name ?? entry.id}`}
      value={state}
      onChange={({ target }) => change({ state: Number(target.value) })}
    >
      {[...states].map(([number, text]) => (
        <option key={number} value={number}>
          {text} ({number})
        </option>
      ))}
    </select>
  );
}

/** The name of a series; when it is changed, the formulas that use it follow. */
function AliasField({
  sheet,
  onChange,
  alias,
  label,
}: {
  sheet: Sheet;
  onChange(sheet: Sheet): void;
  alias: string;
  label: string;
}) {
  const [text, setText] = useState(alias);
  const [shown, setShown] = useState(alias);
  if (shown !== alias) {
    setShown(alias);
    setText(alias);
  }
  const isTaken = text !== alias && aliasesOf(sheet).includes(text);
  const isWord = isTakenWord(text);
  const isWrong = !aliasPattern.test(text) || isTaken || isWord;
  const settle = () => {
    if (isWrong) setText(alias);
    else if (text !== alias) onChange(renameAlias(sheet, alias, text));
  };
  return (
    <input
      className="input mono alias-field"
      aria-label={label}
      aria-invalid={isWrong}
      title={
        isTaken
          ? 'This alias is taken'
          : isWrong
            ? 'Letters, digits and _, at most 28, no digit first'
            : undefined
      }
      maxLength={28}
      spellCheck={false}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={settle}
      onKeyDown={({ key }) => key === 'Enter' && settle()}
    />
  );
}

function CalculationRow(props: SheetEditorProps & { place: number }) {
  const { sheet, onChange, items, faults, onRun, onPlace, place } = props;
  const id = useId();
  const [cursor, setCursor] = useState<number | null>(null);
  const { alias, formula } = sheet.calculations[place]!;
  const mine = faults.byCalculation.get(place) ?? none;
  const change = (next: string) => {
    const calculations = sheet.calculations.map((each, i) =>
      i === place ? { ...each, formula: next } : each,
    );
    onChange({ ...sheet, calculations });
  };
  const remove = () => onChange({ ...sheet, calculations: sheet.calculations.filter((_, i) => i !== place) });
  const nameOf = (item: string) => items.find((each) => each.id === item)?.name ?? item;
  const aliases: KnownAlias[] = aliasesBefore(sheet, place, nameOf);
  const onCursor = (position: number | null) => {
    setCursor(position);
    if (position !== null) onPlace({ calculation: place, position });
  };
  return (
    <li className="sheet-calculation">
      <div className="line">
        <AliasField
          sheet={sheet}
          onChange={onChange}
          alias={alias}
          label={`Alias of calculation ${place + 1}`}
        />
        <span className="quiet">=</span>
        <span className="grow" />
        <FormulaLength length={formula.length} />
        <IconButton isTiny label={`Remove ${alias}`} icon="close" onPress={remove} />
      </div>
      <Suspense fallback={<pre className="formula-editor waiting-editor">{formula}</pre>}>
        <FormulaEditor
          label={`Formula of ${alias}`}
          value={formula}
          onChange={change}
          aliases={aliases}
          faults={mine}
          describedBy={id}
          onCursor={onCursor}
          onRun={onRun}
        />
      </Suspense>
      <div id={id} className="sheet-below">
        {mine.length > 0 ? (
          <Faults faults={mine} />
        ) : (
          <>
            <SignatureHint formula={formula} cursor={cursor} />
            <UnitsHint formula={formula} sheet={sheet} items={items} />
          </>
        )}
      </div>
    </li>
  );
}

/** How much of the allowed length is used; plainer once it is nearly all. */
function FormulaLength({ length }: { length: number }) {
  const { formulaCharacters } = sheetLimits;
  return (
    <span className={length > formulaCharacters * 0.9 ? 'small figures' : 'small figures quiet'}>
      {length} of {formulaCharacters}
    </span>
  );
}

const none: readonly FormulaFault[] = [];

function Faults({ faults }: { faults: readonly FormulaFault[] }) {
  return (
    <ul className="formula-faults">
      {faults.map(({ from, text }) => (
        <li key={`${from} ${text}`}>
          <Icon name="warn" size={14} />
          <span>
            At {from + 1}: {text}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The units of what a formula is made of; units are not computed, so the user has to check. */
function UnitsHint({ formula, sheet, items }: { formula: string; sheet: Sheet; items: readonly Item[] }) {
  const used = new Set(tokensOf(formula).map(({ from, to }) => formula.slice(from, to)));
  const units = sheet.items
    .filter(({ alias }) => used.has(alias))
    .map(
      (entry) =>
        [
          entry.alias,
          unitOf(
            entry,
            items.find(({ id }) => id === entry.id),
          ),
        ] as const,
    )
    .filter(([, unit]) => unit !== '');
  if (units.length === 0) return null;
  return (
    <p className="small quiet">
      {units.map(([alias, unit], i) => (
        <span key={alias}>
          {i === 0 ? 'Units: ' : ', '}
          <code>{alias}</code> {unit}
        </span>
      ))}
    </p>
  );
}

/** The signature of the function that is being written. */
function SignatureHint({ formula, cursor }: { formula: string; cursor: number | null }) {
  const inside = cursor === null ? null : callAround(formula, cursor);
  const entry = inside && functions.find(({ name }) => name === inside.name);
  if (!entry) return null;
  const parameter = entry.parameters[Math.min(inside.argument, entry.parameters.length - 1)];
  return (
    <p className="small quiet">
      <code>{entry.signature}</code> {parameter && <b>{parameter.name}</b>}: {entry.meaning}
    </p>
  );
}
