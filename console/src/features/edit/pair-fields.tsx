/** Entries of a map as rows of two fields. */
import { Button, IconButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import type { Pair } from './pairs.ts';
import './edit.css';

interface PairFieldsProps {
  title: string;
  keyLabel: string;
  valueLabel: string;
  pairs: readonly Pair[];
  onChange(pairs: Pair[]): void;
}

/** The rows, and the button that adds one. */
export function PairFields({ title, keyLabel, valueLabel, pairs, onChange }: PairFieldsProps) {
  const replace = (id: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...part } : pair)));
  const add = () =>
    onChange([...pairs, { id: Math.max(0, ...pairs.map(({ id }) => id)) + 1, key: '', value: '' }]);
  return (
    <fieldset className="key-values field-group">
      <legend className="field-label">{title}</legend>
      {pairs.map(({ id, key, value }) => (
        <div key={id} className="key-value">
          <TextField label={keyLabel} value={key} onChange={(next) => replace(id, { key: next })} isCode />
          <TextField label={valueLabel} value={value} onChange={(next) => replace(id, { value: next })} />
          <IconButton
            label={`Remove ${key}`}
            icon="trash"
            onPress={() => onChange(pairs.filter((pair) => pair.id !== id))}
          />
        </div>
      ))}
      <span>
        <Button isTiny icon="plus" onPress={add}>
          Add
        </Button>
      </span>
    </fieldset>
  );
}
