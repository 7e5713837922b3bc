/** Editing the metadata of one signal or item. Only what was changed is sent. */
import { type ReactNode, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { PlainFields } from './attribute-fields.tsx';
import { type Change, changeBetween, isEmptyChange } from './change.ts';
import { PairFields } from './pair-fields.tsx';
import { labelTexts, labelValues, mapOf, type Pair, pairsOf } from './pairs.ts';
import type { EditTarget } from './target.ts';
import { useEdit } from './use-edit.ts';

const shownFields = ['name', 'description', 'engUnit', 'sampleInterval', 'gapDetection'] as const;

/** What {@link EditDialog} takes. */
export interface EditDialogProps {
  target: EditTarget;
  id: string;
  attributes: Attributes;
  /** What should be known before. */
  note?: ReactNode;
  onClose(): void;
}

/** The form. */
export function EditDialog({ target, id, attributes, note, onClose }: EditDialogProps) {
  const [draft, setDraft] = useState<Attributes>(attributes);
  const [labels, setLabels] = useState(() => pairsOf(labelTexts(attributes.labels)));
  const [states, setStates] = useState(() => pairsOf(attributes.enumValues));
  const save = useEdit(target);
  const noun = target.kind === 'signals' ? 'signal' : 'item';
  const submit = () => {
    const change = changeOfForm(attributes, draft, labels, states);
    if (isEmptyChange(change)) onClose();
    else save.mutate({ ids: [id], change, done: `The ${noun} is saved` }, { onSuccess: onClose });
  };
  return (
    <Dialog title={`Edit ${noun}`} isOpen onClose={onClose} isWide>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {note}
        <PlainFields
          draft={draft}
          change={(part) => setDraft({ ...draft, ...part })}
          errorOf={(name) => fieldError(save.error, `change.${name}`)}
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
        {save.error && <ErrorNotice error={save.error} shown={shownFields.map((name) => `change.${name}`)} />}
        <div className="form-actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isPending={save.isPending}>
            Save {noun}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function changeOfForm(
  before: Attributes,
  draft: Attributes,
  labels: readonly Pair[],
  states: readonly Pair[],
): Change {
  const after: Attributes = {
    ...draft,
    sampleInterval: draft.sampleInterval || null,
    gapDetection: draft.gapDetection || null,
    labels: Object.fromEntries(
      Object.entries(mapOf(labels)).map(([key, value]) => [key, labelValues(value)] as const),
    ),
    enumValues: mapOf(states),
  };
  return changeBetween(onlyAttributes(before), onlyAttributes(after));
}

/** A signal has its input key among its attributes, an item its flag: they are not of this form. */
function onlyAttributes(attributes: Attributes): Attributes {
  const { name, description, valueType, sourceType, engUnit } = attributes;
  const { sampleInterval, gapDetection, labels, enumValues } = attributes;
  return {
    name,
    description,
    valueType,
    sourceType,
    engUnit,
    sampleInterval,
    gapDetection,
    labels,
    enumValues,
  };
}
