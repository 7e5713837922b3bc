/** The default time zone of an instance. */
import { type FieldProps, SelectField } from '../../parts/field.tsx';
import { zoneNames } from '../../platform/time/zone.ts';

/** A choice among all time zones. */
export function ZoneField({
  value,
  ...field
}: Pick<FieldProps, 'error' | 'isDisabled'> & { value: string; onChange(zone: string): void }) {
  return (
    <SelectField
      {...field}
      label="Time zone"
      hint="The default for days and weeks; people can choose their own. Data is stored in UTC."
      value={value}
      options={[...new Set([value, ...zoneNames()])].map((zone) => ({ value: zone, text: zone }))}
    />
  );
}
