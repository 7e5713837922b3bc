/** The describing fields of a signal or an item, to be edited. */
import { useState } from 'react';
import { boundTo } from '../../parts/bound.ts';
import { optionsOf, SelectField, TextField } from '../../parts/field.tsx';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { printPeriod, readPeriod } from '../../platform/time/span.ts';

/** What `valueType` and `sourceType` may be. */
export const typeOptions = {
  valueType: optionsOf({ numeric: 'numeric', enum: 'states (enum)' }),
  sourceType: optionsOf({
    measurement: 'measurement',
    aggregation: 'aggregation',
    prediction: 'prediction',
  }),
};

interface PlainFieldsProps {
  draft: Attributes;
  change(part: Partial<Attributes>): void;
  errorOf(name: string): string | undefined;
}

/** All but the maps. */
export function PlainFields({ draft, change, errorOf }: PlainFieldsProps) {
  const bound = boundTo(draft, change);
  const of = <Name extends keyof Attributes>(name: Name) => ({ ...bound(name), error: errorOf(name) });
  return (
    <>
      <TextField label="Name" {...of('name')} isRequired maxLength={128} />
      <TextField label="Description" {...of('description')} rows={2} maxLength={1000} />
      <div className="form-grid">
        <TextField label="Unit" {...of('engUnit')} />
        <SelectField<Attributes['valueType']>
          label="Type"
          {...of('valueType')}
          options={typeOptions.valueType}
        />
        <SelectField<Attributes['sourceType']>
          label="Source"
          {...of('sourceType')}
          options={typeOptions.sourceType}
        />
        <PeriodField label="Sample interval" hint="Such as 10 s" {...of('sampleInterval')} />
        <PeriodField
          label="Gap detection"
          hint="Such as 5 min: a longer silence is drawn as a gap"
          {...of('gapDetection')}
        />
      </div>
    </>
  );
}

interface PeriodFieldProps {
  label: string;
  hint: string;
  value: string | null;
  onChange(value: string): void;
  error: string | undefined;
}

/** A duration as people write it; `value` is that of the service. */
function PeriodField({ label, hint, value, onChange, error }: PeriodFieldProps) {
  const [text, setText] = useState(() => printPeriod(value ?? ''));
  const change = (next: string) => {
    setText(next);
    onChange(readPeriod(next));
  };
  return <TextField label={label} hint={hint} value={text} onChange={change} error={error} />;
}
