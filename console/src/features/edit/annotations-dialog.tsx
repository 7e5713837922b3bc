/** Editing the annotations of one signal or item. */
import { useState } from 'react';
import { FormDialog } from '../../parts/form.tsx';
import { changeBetween, isEmptyChange } from './change.ts';
import { PairFields } from './pair-fields.tsx';
import { mapOf, pairsOf } from './pairs.ts';
import type { EditTarget } from './target.ts';
import { useEdit } from './use-edit.ts';

interface AnnotationsDialogProps {
  target: EditTarget;
  id: string;
  annotations: Readonly<Record<string, string>>;
  onClose(): void;
}

/** The form. An annotation without a text is none. */
export function AnnotationsDialog({ target, id, annotations, onClose }: AnnotationsDialogProps) {
  const [pairs, setPairs] = useState(() => pairsOf(annotations));
  const save = useEdit(target);
  const submit = () => {
    const after = Object.fromEntries(Object.entries(mapOf(pairs)).filter(([, value]) => value !== ''));
    const change = changeBetween({ annotations }, { annotations: after });
    if (isEmptyChange(change)) onClose();
    else save.mutate({ ids: [id], change, done: 'Annotations saved' }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Edit annotations"
      action="Save annotations"
      onSubmit={submit}
      onClose={onClose}
      sending={save}
      isWide
    >
      <p className="quiet">
        Texts by key (letters, digits, <code>- _ /</code>). Programs may rely on annotations that they have
        written.
      </p>
      <PairFields title="Annotations" keyLabel="Key" valueLabel="Text" pairs={pairs} onChange={setPairs} />
    </FormDialog>
  );
}
