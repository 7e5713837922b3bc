/** The steps of the set-up. */
import { SelectField, SwitchField, TextField } from '../../parts/field.tsx';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { zoneNames } from '../../platform/time/zone.ts';
import { AddressNotice } from '../settings/address-notice.tsx';
import { ColorField } from '../settings/color-field.tsx';
import { KeepField } from '../settings/keep-field.tsx';

/** What has been typed so far. */
export interface Draft {
  code: string;
  name: string;
  password: string;
  again: string;
  instanceName: string;
  color: string;
  timeZone: string;
  /** `forever`, or the duration of the rule for all signals. */
  keep: string;
  demo: boolean;
}

interface StepProps {
  draft: Draft;
  change(part: Partial<Draft>): void;
  error: unknown;
}

/** The fewest characters of a password. */
export const passwordCharactersMin = 12;

/** What is wrong in the first step, by field; null: nothing that can be seen from here. */
export function draftProblem(draft: Draft): Partial<Record<keyof Draft, string>> | null {
  const problems: Partial<Record<keyof Draft, string>> = {};
  if (draft.code.trim() === '') problems.code = 'The service printed it when it started.';
  if (draft.name.trim() === '') problems.name = 'A name is needed to sign in.';
  if (draft.password.length < passwordCharactersMin)
    problems.password = `At least ${passwordCharactersMin} characters, got ${draft.password.length}.`;
  if (draft.again !== draft.password) problems.again = 'The two passwords differ.';
  return Object.keys(problems).length === 0 ? null : problems;
}

/** Code, name, password. */
export function AdministratorStep({ draft, change, error, isChecked }: StepProps & { isChecked: boolean }) {
  const problems = isChecked ? draftProblem(draft) : null;
  const problem = (field: 'code' | 'name' | 'password' | 'again') =>
    problems?.[field] ?? fieldError(error, field);
  return (
    <>
      <TextField
        label="Set-up code"
        hint="Printed by the service when it starts without any person: look at its terminal or log."
        value={draft.code}
        onChange={(code) => change({ code })}
        error={problem('code')}
        autoComplete="one-time-code"
        isCode
        autoFocus
      />
      <TextField
        label="Your name"
        name="username"
        value={draft.name}
        onChange={(name) => change({ name })}
        error={problem('name')}
        autoComplete="username"
      />
      <TextField
        label="Password"
        hint={`At least ${passwordCharactersMin} characters; a sentence is easier to remember than symbols.`}
        name="new-password"
        type="password"
        value={draft.password}
        onChange={(password) => change({ password })}
        error={problem('password')}
        autoComplete="new-password"
      />
      <TextField
        label="Password again"
        name="new-password-again"
        type="password"
        value={draft.again}
        onChange={(again) => change({ again })}
        error={problem('again')}
        autoComplete="new-password"
      />
    </>
  );
}

/** Name, colour, zone, and whether the address is right. */
export function InstanceStep({ draft, change, error }: StepProps) {
  return (
    <>
      <TextField
        label="Name of the instance"
        value={draft.instanceName}
        onChange={(instanceName) => change({ instanceName })}
        error={fieldError(error, 'instanceName')}
        maxLength={64}
      />
      <ColorField value={draft.color} onChange={(color) => change({ color })} />
      <SelectField
        label="Time zone"
        hint="For days and weeks where nobody has chosen another; data is kept in UTC."
        value={draft.timeZone}
        onChange={(timeZone) => change({ timeZone })}
        options={[...new Set([draft.timeZone, ...zoneNames()])].map((value) => ({ value, text: value }))}
      />
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
        hint="A rule for all signals: older points are deleted. Others can be made later, by integration or label."
        value={draft.keep}
        onChange={(keep) => change({ keep })}
        error={keepProblem(draft.keep) ?? fieldError(error, 'keep')}
      />
      <SwitchField isSelected={draft.demo} onChange={(demo) => change({ demo })}>
        Fill it with a demo plant: signals and data to look at
      </SwitchField>
    </>
  );
}

/** What can be seen from here of a length; the service looks at it closely. */
export function keepProblem(keep: string): string | undefined {
  if (keep === 'forever' || /^P(?=.)(\d+[YMWD])*(T(?=.)(\d+[HMS])*)?$/i.test(keep)) return undefined;
  return 'Must be a duration such as P180D.';
}
