/** The colour of an instance, with names for screen readers. */
import { Label, Radio, RadioGroup } from 'react-aria-components';
import './color-field.css';

const colors = [
  ['#0b7285', 'Teal'],
  ['#2563c9', 'Blue'],
  ['#6b3fa0', 'Purple'],
  ['#b5177c', 'Pink'],
  ['#c2410c', 'Orange'],
  ['#8a6100', 'Ochre'],
  ['#2f7d32', 'Green'],
  ['#475569', 'Slate'],
] as const;

interface ColorFieldProps {
  value: string;
  onChange(color: string): void;
  isDisabled?: boolean;
}

/** A choice among colours that go with both themes. */
export function ColorField({ value, onChange, isDisabled = false }: ColorFieldProps) {
  return (
    <RadioGroup
      className="field"
      orientation="horizontal"
      value={value}
      onChange={onChange}
      isDisabled={isDisabled}
    >
      <Label className="field-label">Colour</Label>
      <div className="line">
        {colors.map(([color, name]) => (
          <Radio
            key={color}
            value={color}
            aria-label={name}
            className="color-choice"
            style={{ background: color }}
          />
        ))}
      </div>
    </RadioGroup>
  );
}
