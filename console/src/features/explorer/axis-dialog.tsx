/** The axis of an item: shared or its own, and its ends. */
import { useState } from 'react';
import { SwitchField, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form.tsx';
import type { PlottedItem } from './plot.ts';
import type { ViewActs } from './use-explorer.ts';
import type { View } from './view.ts';

interface AxisDialogProps {
  plotted: PlottedItem;
  view: View;
  acts: Pick<ViewActs, 'change'>;
  onClose(): void;
}

/** The dialog; what is chosen is in the address. */
export function AxisDialog({ plotted: { item, line }, view, acts, onClose }: AxisDialogProps) {
  const before = view.ranges.get(item.id);
  const [isOwn, setOwn] = useState(view.own.has(item.id));
  const [low, setLow] = useState(String(before?.low ?? ''));
  const [high, setHigh] = useState(String(before?.high ?? ''));
  const ends = { low: readEnd(low), high: readEnd(high) };
  const error = endsError(ends);
  const apply = () => {
    if (error) return;
    const ranges = new Map(view.ranges);
    ranges.delete(item.id);
    if (ends.low !== null || ends.high !== null) ranges.set(item.id, ends);
    const own = new Set(view.own);
    if (isOwn) own.add(item.id);
    else own.delete(item.id);
    acts.change({ ranges, own });
    onClose();
  };
  return (
    <FormDialog
      title={`Axis of ${item.name}`}
      action="Apply"
      onSubmit={apply}
      onClose={onClose}
      isDisabled={error !== null}
    >
      <SwitchField isSelected={isOwn || item.unit === ''} isDisabled={item.unit === ''} onChange={setOwn}>
        Separate axis
      </SwitchField>
      <TextField
        label={`Min${unitNote(line?.unit)}`}
        value={low}
        onChange={setLow}
        hint="Empty: from the data"
      />
      <TextField
        label={`Max${unitNote(line?.unit)}`}
        value={high}
        onChange={setHigh}
        hint="Empty: from the data"
        error={error ?? undefined}
      />
    </FormDialog>
  );
}

function unitNote(unit = ''): string {
  return unit === '' ? '' : `, ${unit}`;
}

/** A number; null for empty, NaN for anything else. */
function readEnd(text: string): number | null {
  return text.trim() === '' ? null : Number(text.trim());
}

function endsError({ low, high }: { low: number | null; high: number | null }): string | null {
  if (Number.isNaN(low) || Number.isNaN(high)) return 'must be a number';
  return low !== null && high !== null && low >= high ? 'must be above the min' : null;
}
