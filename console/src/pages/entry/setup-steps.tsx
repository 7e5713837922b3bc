/** The steps of the set-up. */
import { boundTo } from '../../parts/bound.ts';
import { SwitchField, TextField } from '../../parts/field.tsx';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { AddressNotice } from '../settings/address-notice.tsx';
import { ColorField } from '../settings/color-field.tsx';
import { KeepField } from '../settings/keep-field.tsx';
import { ZoneField } from '../settings/zone-field.tsx';
import { type Draft, draftProblem, keepProblem, passwordCharactersMin } from './draft.ts';

interface StepProps {
  draft: Draft;
  change(part: Partial<Draft>): void;
  error: unknown;
}

/** Code, name, password. */
export function AdministratorStep({ draft, change, error, isChecked }: StepProps & { isChecked: boolean }) {
  const problems = isChecked ? draftProblem(draft) : null;
  const of = boundTo(draft, change);
  const field = (name: 'code' | 'name' | 'password' | 'again') => ({
    ...of(name),
    error: problems?.[name] ?? fieldError(error, name),
  });
  const password = { type: 'password', autoComplete: 'new-password' } as const;
  return (
    <>
      <TextField
        {...field('code')}
        label="Set-up code"
        hint="Printed to the terminal or log of the service when it starts without any person."
        autoComplete="one-time-code"
        isCode
        autoFocus
      />
      <TextField {...field('name')} label="Your name" name="username" autoComplete="username" />
      <TextField
        {...field('password')}
        {...password}
        label="Password"
        hint={`At least ${passwordCharactersMin} characters; a sentence is easier to remember than symbols.`}
        name="new-password"
      />
      <TextField {...field('again')} {...password} label="Password again" name="new-password-again" />
    </>
  );
}

/** Name, colour, zone, and a check of the address. */
export function InstanceStep({ draft, change, error }: StepProps) {
  const of = boundTo(draft, change);
  const fault = fieldError(error, 'instanceName');
  return (
    <>
      <TextField label="Name of the instance" {...of('instanceName')} error={fault} maxLength={64} />
      <ColorField {...of('color')} />
      <ZoneField {...of('timeZone')} />
      <AddressNotice />
    </>
  );
}

/** How long points are kept, and the demo. */
export function DataStep({ draft, change, error }: StepProps) {
  return (
    <>
      <KeepField
        label="Keep points"
        hint="For all signals: older points are deleted. Rules by integration or label can be added later."
        {...boundTo(draft, change)('keep')}
        error={keepProblem(draft.keep) ?? fieldError(error, 'keep')}
      />
      <SwitchField isSelected={draft.demo} onChange={(demo) => change({ demo })}>
        Fill it with a demo plant: sample signals and data
      </SwitchField>
    </>
  );
}
