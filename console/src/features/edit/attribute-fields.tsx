/** The describing fields of a signal or an item, to be edited. */
import { useState } from 'react';
import { SelectField, TextField } from '../../parts/field.tsx';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { printPeriod, readPeriod } from '../../platform/time/span.ts';

/** What `valueType` and `sourceType` may be. */
export const typeOptions = {
  valueType: [
    { value: 'numeric', text: 'numeric' },
    { value: 'enum', text: 'states (enum)' },
  ],
  sourceType: [
    { value: 'measurement', text: 'measurement' },
    { value: 'aggregation', text: 'aggregation' },
    { value: 'prediction', text: 'prediction' },
  ],
} as const;

/** All but the maps. */
export function PlainFields({
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
          options={typeOptions.valueType}
        />
        <SelectField<Attributes['sourceType']>
          label="Source"
          value={draft.sourceType}
          onChange={(sourceType) => change({ sourceType })}
          options={typeOptions.sourceType}
        />
        <PeriodField
          label="Sample interval"
          hint="Such as 10 s"
          value={draft.sampleInterval ?? ''}
          onChange={(sampleInterval) => change({ sampleInterval })}
          error={errorOf('sampleInterval')}
        />
        <PeriodField
          label="Gap detection"
          hint="Such as 5 min: a longer silence is drawn as a gap"
          value={draft.gapDetection ?? ''}
          onChange={(gapDetection) => change({ gapDetection })}
          error={errorOf('gapDetection')}
        />
      </div>
    </>
  );
}

/** A duration as people write it; `value` is that of the service. */
function PeriodField({
  label,
  hint,
  value,
  onChange,
  error,
}: {
  label: string;
  hint: string;
  value: string;
  onChange(value: string): void;
  error: string | undefined;
}) {
  const [text, setText] = useState(() => printPeriod(value));
  const change = (next: string) => {
    setText(next);
    onChange(readPeriod(next));
  };
  return <TextField label={label} hint={hint} value={text} onChange={change} error={error} />;
}
