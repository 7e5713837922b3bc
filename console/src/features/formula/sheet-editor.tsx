/** Edits a sheet: items under aliases, then calculations with their formulas. */
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { optionsOf, SelectField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Card } from '../../parts/page.tsx';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { SaveItemDialog } from '../calculated/save-dialog.tsx';
import type { Item } from '../explorer/item.ts';
import { ItemPicker } from '../explorer/item-picker.tsx';
import { callAround, type FormulaFault, functions } from './language.ts';
import { unitsIn } from './preview.ts';
import {
  addItem,
  aggregations,
  aliasesBefore,
  aliasesOf,
  aliasProblem,
  isStateAggregation,
  newCalculation,
  renameAlias,
  type Sheet,
  type SheetItem,
  sheetLimits,
} from './sheet.ts';
import type { Formulas } from './use-formulas.ts';
import './formula.css';

const FormulaEditor = lazy(() => import('./editor.tsx'));

type Props = Pick<Formulas, 'sheet' | 'setSheet' | 'items' | 'faults' | 'run' | 'savedItem'> & {
  /** Called with the calculation that was edited last, and where: for text inserted from elsewhere. */
  onPlace(place: { calculation: number; position: number }): void;
};

/** The editor of a sheet, with its limits. */
export function SheetEditor(props: Props) {
  const { sheet, setSheet, items } = props;
  const { calculations } = sheet;
  const addCalculation = () => setSheet({ ...sheet, calculations: [...calculations, newCalculation(sheet)] });
  return (
    <div className="stack">
      <Part title="Items" count={new Set(sheet.items.map(({ id }) => id)).size} most={sheetLimits.items}>
        <ul className="sheet-list">
          {sheet.items.map((entry, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an alias changes while it is typed, the place does not
            <ItemRow key={place} {...props} entry={entry} item={items.find(({ id }) => id === entry.id)} />
          ))}
        </ul>
        <ItemPicker
          chosen={new Set()}
          onAdd={(item) => setSheet(addItem(sheet, item))}
          isFull={sheet.items.length >= sheetLimits.items}
        />
      </Part>
      <Part title="Calculations" count={calculations.length} most={sheetLimits.calculations}>
        <ol className="sheet-list">
          {calculations.map((_, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <CalculationRow key={place} {...props} place={place} />
          ))}
        </ol>
        <div className="line">
          <Button
            icon="plus"
            onPress={addCalculation}
            isDisabled={calculations.length >= sheetLimits.calculations}
          >
            Add a calculation
          </Button>
        </div>
      </Part>
    </div>
  );
}

interface PartProps {
  title: string;
  count: number;
  most: number;
  children: ReactNode;
}

/** A part of the sheet, and how much of its limit is used, in words and as a bar. */
function Part({ title, count, most, children }: PartProps) {
  return (
    <Card
      title={title}
      actions={
        <span className="limit quiet small figures">
          <meter
            min={0}
            max={most}
            high={most * 0.9}
            value={count}
            aria-label={`${title.toLowerCase()} used`}
          />
          {count} of {most}
        </span>
      }
    >
      {children}
    </Card>
  );
}

function ItemRow({ sheet, setSheet, entry, item }: Props & { entry: SheetItem; item: Item | undefined }) {
  const change = (parts: Partial<SheetItem>) =>
    setSheet({ ...sheet, items: sheet.items.map((each) => (each === entry ? { ...each, ...parts } : each)) });
  const remove = () => setSheet({ ...sheet, items: sheet.items.filter((each) => each !== entry) });
  const name = item?.name ?? entry.id;
  return (
    <li className="sheet-item">
      <AliasField sheet={sheet} setSheet={setSheet} alias={entry.alias} label={`Alias of ${name}`} />
      <span className="grow cut" title={name}>
        {name}
        {item?.unit ? <span className="quiet"> {item.unit}</span> : null}
        {entry.offset ? <span className="quiet"> {sayOffset(entry.offset)}</span> : null}
      </span>
      <IconButton isTiny label={`Remove ${name}`} icon="close" onPress={remove} />
      <span className="sheet-choice">
        <SelectField
          label={`Aggregation of ${name}`}
          isLabelHidden
          value={entry.aggregation}
          onChange={(aggregation) => change({ aggregation })}
          options={optionsOf(aggregations)}
        />
        {isStateAggregation(entry.aggregation) && (
          <SelectField
            label={`State of ${name}`}
            isLabelHidden
            value={String(entry.state ?? 0)}
            onChange={(state) => change({ state: Number(state) })}
            options={stateOptions(entry.state ?? 0, item)}
          />
        )}
      </span>
    </li>
  );
}

function sayOffset(offset: number): string {
  return offset > 0 ? `lead ${offset}` : `lag ${-offset}`;
}

/** The states of an item; also the chosen one, if the item does not name it. */
function stateOptions(chosen: number, item: Item | undefined) {
  const states = new Map(item?.states);
  if (!states.has(chosen)) states.set(chosen, `state ${chosen}`);
  return [...states].map(([state, text]) => ({ value: String(state), text: `${text} (${state})` }));
}

/** The name of a series; when it is changed, the formulas that use it follow. */
function AliasField({
  sheet,
  setSheet,
  alias,
  label,
}: Pick<Props, 'sheet' | 'setSheet'> & { alias: string; label: string }) {
  const [text, setText] = useState(alias);
  const [shown, setShown] = useState(alias);
  if (shown !== alias) {
    setShown(alias);
    setText(alias);
  }
  const problem = aliasProblem(text, alias, aliasesOf(sheet));
  const settle = () => {
    if (problem) setText(alias);
    else if (text !== alias) setSheet(renameAlias(sheet, alias, text));
  };
  return (
    <input
      className="input mono alias-field"
      aria-label={label}
      aria-invalid={problem !== null}
      title={problem ?? undefined}
      maxLength={28}
      spellCheck={false}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={settle}
      onKeyDown={({ key }) => key === 'Enter' && settle()}
    />
  );
}

function CalculationRow({
  sheet,
  setSheet,
  items,
  faults,
  run,
  onPlace,
  place,
  savedItem,
}: Props & { place: number }) {
  const id = useId();
  const [cursor, setCursor] = useState<number | null>(null);
  const { alias, formula } = sheet.calculations[place]!;
  const mine = faults.byCalculation.get(place) ?? none;
  const setCalculations = (calculations: Sheet['calculations']) => setSheet({ ...sheet, calculations });
  const change = (next: string) => setCalculations(sheet.calculations.with(place, { alias, formula: next }));
  const nameOf = (item: string) => items.find((each) => each.id === item)?.name ?? item;
  const onCursor = (position: number | null) => {
    setCursor(position);
    if (position !== null) onPlace({ calculation: place, position });
  };
  return (
    <li className="sheet-calculation">
      <div className="line">
        <AliasField
          sheet={sheet}
          setSheet={setSheet}
          alias={alias}
          label={`Alias of calculation ${place + 1}`}
        />
        <span className="quiet">=</span>
        <span className="grow" />
        <FormulaLength length={formula.length} />
        <IconButton
          isTiny
          label={`Remove ${alias}`}
          icon="close"
          onPress={() => setCalculations(sheet.calculations.toSpliced(place, 1))}
        />
      </div>
      <Suspense fallback={<pre className="formula-editor waiting-editor">{formula}</pre>}>
        <FormulaEditor
          label={`Formula of ${alias}`}
          value={formula}
          onChange={change}
          aliases={aliasesBefore(sheet, place, nameOf)}
          faults={mine}
          describedBy={id}
          onCursor={onCursor}
          onRun={run}
        />
      </Suspense>
      <div id={id} className="sheet-below">
        <SaveAsItem
          {...{ sheet, place, savedItem }}
          isDisabled={formula.trim() === '' || faults.byCalculation.size > 0}
        />
        <div className="grow">
          {mine.length > 0 ? (
            <Faults faults={mine} />
          ) : (
            <>
              <SignatureHint formula={formula} cursor={cursor} />
              <UnitsHint formula={formula} sheet={sheet} items={items} />
            </>
          )}
        </div>
      </div>
    </li>
  );
}

/** The button, and the dialog that it opens. */
function SaveAsItem({
  sheet,
  place,
  savedItem,
  isDisabled,
}: Pick<Props, 'sheet' | 'savedItem'> & { place: number; isDisabled: boolean }) {
  const isAdmin = useIsAdmin();
  if (!isAdmin) return null;
  const text = (
    <>
      {savedItem === null ? 'Save as item' : 'Save formula'}
      <span className="hidden-text"> {sheet.calculations[place]!.alias}</span>
    </>
  );
  return (
    <DialogButton isTiny icon="box" isDisabled={isDisabled} text={text}>
      {(close) => <SaveItemDialog sheet={sheet} place={place} item={savedItem} onClose={close} />}
    </DialogButton>
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
  const units = unitsIn(formula, sheet, items);
  if (units.length === 0) return null;
  return (
    <p className="small quiet">
      {units.map(({ alias, unit }, i) => (
        <span key={alias}>
          {i === 0 ? 'Units: ' : ', '}
          <code>{alias}</code> {unit}
        </span>
      ))}
    </p>
  );
}

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
