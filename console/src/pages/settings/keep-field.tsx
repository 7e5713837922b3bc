/** How long points are kept: one of the usual lengths, or any duration. */
import { useState } from 'react';
import { type FieldProps, SelectField, TextField } from '../../parts/field.tsx';
import { usualLengths } from './keep.ts';

interface KeepFieldProps extends Pick<FieldProps, 'label' | 'hint' | 'error'> {
  /** `forever`, or a duration such as `P400D`. */
  value: string;
  onChange(keep: string): void;
}

/** A choice; the last one opens a field for any duration. */
export function KeepField({ value, onChange, error, ...field }: KeepFieldProps) {
  const [isOther, setOther] = useState(!usualLengths.some((one) => one.value === value));
  const choose = (next: string) => {
    setOther(next === 'other');
    if (next !== 'other') onChange(next);
  };
  return (
    <>
      <SelectField
        {...field}
        value={isOther ? 'other' : value}
        onChange={choose}
        options={[...usualLengths, { value: 'other', text: 'Another length …' }]}
        error={isOther ? undefined : error}
      />
      {isOther && (
        <TextField
          label="Length"
          hint="An ISO 8601 duration: P180D is 180 days, P18M is 18 months, PT36H is 36 hours."
          value={value === 'forever' ? '' : value}
          onChange={(text) => onChange(text.trim())}
          error={error}
          placeholder="P180D"
          isCode
        />
      )}
    </>
  );
}
