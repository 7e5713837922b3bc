/** For how long points are kept: the usual lengths, or any. */
import { useState } from 'react';
import { SelectField, TextField } from '../../parts/field.tsx';
import { usualLengths } from './keep.ts';

/** A choice; the last one opens a field for any duration. */
export function KeepField({
  label,
  hint,
  value,
  onChange,
  error,
}: {
  label: string;
  hint?: string;
  /** `forever`, or a duration such as `P400D`. */
  value: string;
  onChange(keep: string): void;
  error?: string | undefined;
}) {
  const [isOther, setOther] = useState(!usualLengths.some((one) => one.value === value));
  const choose = (next: string) => {
    setOther(next === 'other');
    if (next !== 'other') onChange(next);
  };
  return (
    <>
      <SelectField
        label={label}
        {...(hint === undefined ? {} : { hint })}
        value={isOther ? 'other' : value}
        onChange={choose}
        options={[...usualLengths, { value: 'other', text: 'Another length …' }]}
        error={isOther ? undefined : error}
      />
      {isOther && (
        <TextField
          label="Length"
          hint="A duration: P180D is 180 days, P18M eighteen months, PT36H thirty-six hours."
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
