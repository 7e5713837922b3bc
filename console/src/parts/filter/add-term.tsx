/** Adding a condition: field, comparison, value. */
import { useState } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button } from '../button.tsx';
import { optionsOf, SelectField, TextField } from '../field.tsx';
import { PlainForm } from '../form.tsx';
import { type FilterField, needsValue, type Operator, operators, operatorsOf, type Term } from './terms.ts';

/** The button and the form behind it. */
export function AddTerm({ fields, onAdd }: { fields: readonly FilterField[]; onAdd(term: Term): void }) {
  const [isOpen, setOpen] = useState(false);
  const add = (term: Term) => {
    setOpen(false);
    onAdd(term);
  };
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button icon="filter">Filter</Button>
      <Popover className="popover" placement="bottom start">
        <Dialog aria-label="New condition" className="filter-form">
          <TermForm fields={fields} onAdd={add} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function TermForm({ fields, onAdd }: { fields: readonly FilterField[]; onAdd(term: Term): void }) {
  const [path, setPath] = useState(fields[0]!.path);
  const field = fields.find((each) => each.path === path) ?? fields[0]!;
  const [operator, setOperator] = useState<Operator>(operatorsOf[field.kind][0]);
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const chooseField = (next: string) => {
    const kind = fields.find((each) => each.path === next)!.kind;
    setPath(next);
    setOperator(operatorsOf[kind][0]);
    setValue('');
  };
  const isComplete = (!field.hasKey || key.trim() !== '') && (!needsValue(operator) || value !== '');
  const submit = () => {
    if (!isComplete) return;
    const whole = field.hasKey ? `${field.path}${key.trim()}` : field.path;
    onAdd({ path: whole, operator, value: operandOf(field, value) });
  };
  return (
    <PlainForm onSubmit={submit}>
      <SelectField
        label="Field"
        value={path}
        onChange={chooseField}
        options={fields.map((each) => ({ value: each.path, text: each.title }))}
      />
      {field.hasKey && <TextField label="Key" value={key} onChange={setKey} placeholder="site" isCode />}
      <SelectField<Operator>
        label="Comparison"
        value={operator}
        onChange={setOperator}
        options={operatorsOf[field.kind].map((name) => ({ value: name, text: operators[name] }))}
      />
      {needsValue(operator) && <ValueField field={field} value={value} onChange={setValue} />}
      <div className="form-actions">
        <Button type="submit" tone="primary" isDisabled={!isComplete}>
          Add condition
        </Button>
      </div>
    </PlainForm>
  );
}

interface ValueFieldProps {
  field: FilterField;
  value: string;
  onChange(value: string): void;
}

function ValueField({ field, value, onChange }: ValueFieldProps) {
  if (field.choices)
    return (
      <SelectField
        label="Value"
        value={value === '' ? null : value}
        onChange={onChange}
        options={optionsOf(field.choices)}
      />
    );
  if (field.kind === 'date')
    return <TextField label="Value" type="datetime-local" value={value} onChange={onChange} />;
  const hint = field.kind === 'duration' ? 'Such as PT15M' : undefined;
  return <TextField label="Value" value={value} onChange={onChange} {...(hint ? { hint } : {})} />;
}

/** Dates are entered in the time zone of the browser and sent as UTC. */
function operandOf(field: FilterField, value: string): string {
  if (field.kind !== 'date' || value === '') return value;
  return new Date(value).toISOString();
}
