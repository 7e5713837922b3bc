/** Editing an item's meta-data. Its signals stay as they are; the item is then marked as edited. */
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { tell } from '../../parts/toast.tsx';
import { useRpcChange } from '../../session/rpc.ts';
import { fieldError } from '../../session/rpc-error.ts';
import type { Attributes, ItemView } from '../../session/views.ts';
import type { Feeding } from './feeding.ts';

/** What is asked for again after an item was changed. */
export const itemRenewed = ['service.selectItems', 'admin.selectSignals', 'console.publish.status'];

const fields = ['name', 'description', 'engUnit', 'sampleInterval', 'gapDetection'] as const;

interface Pair {
  /** Only for the list in the page. */
  id: number;
  key: string;
  value: string;
}

/** The form. */
export function EditItemDialog({
  item,
  feeding,
  onClose,
}: {
  item: ItemView;
  feeding: Feeding;
  onClose(): void;
}) {
  const [draft, setDraft] = useState<Attributes>(item.attributes);
  const [labels, setLabels] = useState(() => pairsOf(labelTexts(item.attributes.labels)));
  const [states, setStates] = useState(() => pairsOf(item.attributes.enumValues));
  const save = useRpcChange<object>('admin.publishSignals', itemRenewed);
  const path = `itemsBySignal.${feeding.signal.id}`;
  const change = (part: Partial<Attributes>) => setDraft({ ...draft, ...part });
  const submit = () => {
    const view = {
      ...draft,
      sampleInterval: draft.sampleInterval || null,
      gapDetection: draft.gapDetection || null,
      labels: labelsOf(labels),
      enumValues: Object.fromEntries(
        states.filter(({ key }) => key !== '').map(({ key, value }) => [key, value]),
      ),
      visible: item.attributes.visible,
    };
    save.mutate(
      { integration: feeding.integration, itemsBySignal: { [feeding.signal.id]: view } },
      {
        onSuccess: () => {
          tell('Item saved');
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Edit item" isOpen onClose={onClose} isWide>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <PlainFields
          draft={draft}
          change={change}
          errorOf={(name) => fieldError(save.error, `${path}.${name}`)}
        />
        <PairFields
          title="Labels"
          keyLabel="Label"
          valueLabel="Values, separated by commas"
          pairs={labels}
          onChange={setLabels}
        />
        {draft.valueType === 'enum' && (
          <PairFields
            title="States"
            keyLabel="Number"
            valueLabel="Name"
            pairs={states}
            onChange={setStates}
          />
        )}
        {save.error && <ErrorNotice error={save.error} shown={fields.map((name) => `${path}.${name}`)} />}
        <div className="form-actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isPending={save.isPending}>
            Save item
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function PlainFields({
  draft,
  change,
  errorOf,
}: {
  draft: Attributes;
  change(part: Partial<Attributes>): void;
  errorOf(name: string): string | undefined;
}) {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => change({ name })}
        error={errorOf('name')}
        isRequired
        maxLength={128}
      />
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => change({ description })}
        error={errorOf('description')}
        rows={2}
        maxLength={1000}
      />
      <div className="form-grid">
        <TextField
          label="Unit"
          value={draft.engUnit}
          onChange={(engUnit) => change({ engUnit })}
          error={errorOf('engUnit')}
        />
        <SelectField<Attributes['valueType']>
          label="Type"
          value={draft.valueType}
          onChange={(valueType) => change({ valueType })}
          options={[
            { value: 'numeric', text: 'numeric' },
            { value: 'enum', text: 'states (enum)' },
          ]}
        />
        <SelectField<Attributes['sourceType']>
          label="Source"
          value={draft.sourceType}
          onChange={(sourceType) => change({ sourceType })}
          options={[
            { value: 'measurement', text: 'measurement' },
            { value: 'aggregation', text: 'aggregation' },
            { value: 'prediction', text: 'prediction' },
          ]}
        />
        <TextField
          label="Sample interval"
          hint="Such as PT10S"
          value={draft.sampleInterval ?? ''}
          onChange={(sampleInterval) => change({ sampleInterval })}
          error={errorOf('sampleInterval')}
          isCode
        />
        <TextField
          label="Gap detection"
          hint="A longer silence is drawn as a gap"
          value={draft.gapDetection ?? ''}
          onChange={(gapDetection) => change({ gapDetection })}
          error={errorOf('gapDetection')}
          isCode
        />
      </div>
    </>
  );
}

function PairFields({
  title,
  keyLabel,
  valueLabel,
  pairs,
  onChange,
}: {
  title: string;
  keyLabel: string;
  valueLabel: string;
  pairs: readonly Pair[];
  onChange(pairs: Pair[]): void;
}) {
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

function pairsOf(map: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(map).map(([key, value], id) => ({ id, key, value }));
}

function labelTexts(labels: Attributes['labels']): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, values]) => [key, values.join(', ')]));
}

function labelsOf(pairs: readonly Pair[]): Attributes['labels'] {
  const split = (text: string) =>
    text
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '');
  return Object.fromEntries(
    pairs.filter(({ key }) => key !== '').map(({ key, value }) => [key, split(value)]),
  );
}
