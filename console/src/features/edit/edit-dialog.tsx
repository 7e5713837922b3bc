/** Editing the metadata of one signal or item. Only what was changed is sent. */
import { useState } from 'react';
import { FormDialog } from '../../parts/form.tsx';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { PlainFields } from './attribute-fields.tsx';
import { type Change, changeBetween, isEmptyChange } from './change.ts';
import { PairFields } from './pair-fields.tsx';
import { labelTexts, labelValues, mapOf, type Pair, pairsOf } from './pairs.ts';
import type { EditTarget } from './target.ts';
import { useEdit } from './use-edit.ts';

const shownFields = ['name', 'description', 'engUnit', 'sampleInterval', 'gapDetection'] as const;

interface EditDialogProps {
  target: EditTarget;
  id: string;
  attributes: Attributes;
  onClose(): void;
}

/** The form. */
export function EditDialog({ target, id, attributes, onClose }: EditDialogProps) {
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
    <FormDialog
      title={`Edit ${noun}`}
      action={`Save ${noun}`}
      onSubmit={submit}
      onClose={onClose}
      sending={save}
      shown={shownFields.map((name) => `change.${name}`)}
      isWide
    >
      {target.kind === 'signals' && <ReplacedNote />}
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
        <PairFields title="States" keyLabel="Number" valueLabel="Name" pairs={states} onChange={setStates} />
      )}
    </FormDialog>
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
  return changeBetween(before, after);
}

/** What should be known before signals are edited by hand. */
export function ReplacedNote() {
  return (
    <p className="quiet small">
      Other fields stay as they are. When the integration saves a signal again, it replaces all of its fields.
    </p>
  );
}
