/** Saves a calculation of a sheet as an item, or as the new formula of one. */
import type { CalculatedItem } from '@tidemark/client/wire';
import { useState } from 'react';
import { CheckField, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { Waiting } from '../../parts/notice.tsx';
import { notify } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { Sheet } from '../formula/sheet.ts';
import { savedFormula } from './saved-formula.ts';
import { changedBySaving } from './saved-item.ts';

interface SaveProps {
  sheet: Sheet;
  place: number;
  /** The item whose formula is being changed; null: a new one is made. */
  item: string | null;
  onClose(): void;
}

/** The dialog; it waits for the item that is changed. */
export function SaveItemDialog(props: SaveProps) {
  const { item } = props;
  const answer = useRpc('console.calculations.show', { id: item ?? '' }, { isEnabled: item !== null });
  if (item !== null && answer.isPending) return <Waiting />;
  return <SaveForm {...props} known={answer.data?.item ?? null} />;
}

/** The fields that the service names in its errors. */
const shown = ['item.name', 'item.description', 'item.engUnit', 'item.gapDetection', 'interval'];

function SaveForm({ sheet, place, known, onClose }: SaveProps & { known: CalculatedItem | null }) {
  const { alias } = sheet.calculations[place]!;
  const [draft, setDraft] = useState(() => draftOf(known, alias));
  const save = useRpcChange('console.calculations.save', changedBySaving, ({ id, attributes, version }) => {
    notify(known ? `${attributes.name} has version ${version} now` : `Saved the item ${attributes.name}`);
    onClose();
    navigate(href(`/items/${id}`));
  });
  const saved = savedFormula(sheet, place);
  const submit = () =>
    save.mutate({
      ...saved,
      item: itemOf(draft, known),
      interval: draft.interval,
      ...(known ? { id: known.id } : {}),
    });
  const field = (label: string, name: keyof Draft & string, path: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      isRequired={name === 'name'}
      value={draft[name] as string}
      onChange={(value) => setDraft({ ...draft, [name]: value })}
      error={fieldError(save.error, path)}
    />
  );
  return (
    <FormDialog
      title={known ? `New formula of ${known.attributes.name}` : 'Save as item'}
      action={known ? 'Save formula' : 'Save item'}
      sending={save}
      shown={shown}
      onSubmit={submit}
      onClose={onClose}
    >
      <code className="break">{saved.formula}</code>
      {field('Name', 'name', 'item.name', '')}
      {field('Description', 'description', 'item.description', '')}
      {field('Unit', 'engUnit', 'item.engUnit', '')}
      {field(
        'Interval',
        'interval',
        'interval',
        'The distance of its values where every point is shown, such as PT1M.',
      )}
      {field(
        'Gap detection',
        'gapDetection',
        'item.gapDetection',
        'A line has a gap where values are further apart, such as PT15M; empty: never.',
      )}
      <CheckField isSelected={draft.visible} onChange={(visible) => setDraft({ ...draft, visible })}>
        Visible
      </CheckField>
    </FormDialog>
  );
}

interface Draft {
  name: string;
  description: string;
  engUnit: string;
  interval: string;
  gapDetection: string;
  visible: boolean;
}

function draftOf(known: CalculatedItem | null, alias: string): Draft {
  if (known === null)
    return { name: alias, description: '', engUnit: '', interval: 'PT1M', gapDetection: '', visible: true };
  const { name, description, engUnit, gapDetection } = known.attributes;
  const { interval, visible } = known;
  return { name, description, engUnit, interval, gapDetection: gapDetection ?? '', visible };
}

/** What the dialog does not show stays as it is. */
function itemOf({ interval: _, gapDetection, ...fields }: Draft, known: CalculatedItem | null) {
  const gap = gapDetection.trim() === '' ? {} : { gapDetection: gapDetection.trim() };
  if (known === null) return { ...fields, ...gap };
  const { valueType, sourceType, labels, enumValues } = known.attributes;
  return { valueType, sourceType, labels, enumValues, ...fields, ...gap };
}
