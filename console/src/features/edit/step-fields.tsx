/** The steps of an edit of many as rows of a form. */
import { Button, IconButton } from '../../parts/button.tsx';
import { optionsOf, SelectField, TextField } from '../../parts/field.tsx';
import { typeOptions } from './attribute-fields.tsx';
import { newStep, type Step, type StepAction, stepActions } from './steps.ts';
import './edit.css';

interface StepFieldsProps {
  actions: readonly StepAction[];
  steps: readonly Step[];
  onChange(steps: Step[]): void;
  /** What is wrong with a step, by the service. */
  errorOf(step: Step): string | undefined;
}

/** The rows, and the button that adds one. */
export function StepFields({ actions, steps, onChange, errorOf }: StepFieldsProps) {
  const replace = (step: Step) => onChange(steps.map((each) => (each.id === step.id ? step : each)));
  const next = Math.max(0, ...steps.map(({ id }) => id)) + 1;
  return (
    <div className="edit-steps">
      {steps.map((step, i) => (
        <fieldset key={step.id} className="edit-step field-group">
          <legend className="hidden-text">{`Step ${i + 1}`}</legend>
          <SelectField<StepAction>
            label="What to do"
            value={step.action}
            onChange={(action) => replace(newStep(step.id, action))}
            options={actions.map((value) => ({ value, text: stepActions[value].text }))}
          />
          <ValueFields step={step} onChange={replace} error={errorOf(step)} />
          {steps.length > 1 && (
            <IconButton
              label={`Remove step ${i + 1}`}
              icon="trash"
              onPress={() => onChange(steps.filter((each) => each.id !== step.id))}
            />
          )}
        </fieldset>
      ))}
      <span>
        <Button isTiny icon="plus" onPress={() => onChange([...steps, newStep(next, actions[0]!)])}>
          Add a step
        </Button>
      </span>
    </div>
  );
}

interface ValueFieldsProps {
  step: Step;
  onChange(step: Step): void;
  error: string | undefined;
}

function ValueFields({ step, onChange, error }: ValueFieldsProps) {
  const asks: { text: string; key?: string; value?: string } = stepActions[step.action];
  const setValue = (value: string) => onChange({ ...step, value });
  const options = choices[step.action];
  if (options) return <SelectField label="Value" value={step.value} onChange={setValue} options={options} />;
  return (
    <>
      {asks.key && (
        <TextField
          label={asks.key}
          value={step.key}
          onChange={(key) => onChange({ ...step, key })}
          error={asks.value ? undefined : error}
          isCode
        />
      )}
      {asks.value && <TextField label={asks.value} value={step.value} onChange={setValue} error={error} />}
    </>
  );
}

/** The values of the actions that have only a few. */
const choices: Partial<Record<StepAction, ReturnType<typeof optionsOf<string>>>> = {
  ...typeOptions,
  visible: optionsOf({ true: 'yes', false: 'no' }),
};
