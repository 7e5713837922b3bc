/** For how long points are kept: the usual lengths, or any. */
import { useState } from 'react';
import { SelectField, TextField } from '../../parts/field.tsx';

const usual = [
  { value: 'forever', text: 'Everything, for ever' },
  { value: 'P5Y', text: 'Five years' },
  { value: 'P2Y', text: 'Two years' },
  { value: 'P400D', text: 'A good year (400 days)' },
  { value: 'P90D', text: '90 days' },
  { value: 'P30D', text: '30 days' },
  { value: 'P7D', text: 'A week' },
] as const;

/** `forever` or a duration, as people say it. */
export function keepText(keep: string): string {
  if (keep === 'forever') return 'for ever';
  const days = /^P(\d+)D$/.exec(keep)?.[1];
  if (days !== undefined) return days === '1' ? 'one day' : `${days} days`;
  return usual.find(({ value }) => value === keep)?.text.toLowerCase() ?? keep;
}

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
  const [isOther, setOther] = useState(!usual.some((one) => one.value === value));
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
        options={[...usual, { value: 'other', text: 'Another length …' }]}
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
