/** What the set-up form contains: its start, its errors, and what is sent. */
import { RpcError } from '../../platform/rpc/rpc-error.ts';
import type { Session, Setup } from '../../platform/session/session.ts';
import { browserZone } from '../../platform/time/zone.ts';

/** What has been typed so far. */
export interface Draft extends Required<Setup> {
  again: string;
  /** `forever`, or the duration of the rule for all signals. */
  keep: string;
}

/** The form at the start. */
export function newDraft({ name, color }: Session['instance']): Draft {
  return {
    code: '',
    name: '',
    password: '',
    again: '',
    instanceName: name,
    color,
    timeZone: browserZone,
    keep: 'forever',
    demo: false,
  };
}

/** The fewest characters of a password. */
export const passwordCharactersMin = 12;

/** The errors of the first step, by field; null if there are none. The service checks more. */
export function draftProblem(draft: Draft): Partial<Record<keyof Draft, string>> | null {
  const problems: Partial<Record<keyof Draft, string>> = {};
  if (draft.code.trim() === '') problems.code = 'The service printed it when it started.';
  if (draft.name.trim() === '') problems.name = 'Required for signing in.';
  if (draft.password.length < passwordCharactersMin)
    problems.password = `At least ${passwordCharactersMin} characters, got ${draft.password.length}.`;
  if (draft.again !== draft.password) problems.again = 'The two passwords differ.';
  return Object.keys(problems).length === 0 ? null : problems;
}

/** The error of a length; undefined if there is none. The service checks more. */
export function keepProblem(keep: string): string | undefined {
  if (keep === 'forever' || /^P(?=.)(\d+[YMWD])*(T(?=.)(\d+[HMS])*)?$/i.test(keep)) return undefined;
  return 'Must be a duration such as P180D.';
}

const lastStep = 2;

/** The step that shows the errors of a field. */
const stepOf: Readonly<Record<string, number>> = { instanceName: 1, color: 1, timeZone: 1 };

/** The step that has the field of the error; a wrong code has none. */
export function stepOfError(error: unknown): number {
  if (!(error instanceof RpcError)) return lastStep;
  if (error.status === 401) return 0;
  const [field] = Object.keys(error.params);
  return field === undefined ? lastStep : (stepOf[field] ?? 0);
}

/** What is sent. */
export function setupOf({ again: _again, keep: _keep, ...draft }: Draft): Setup {
  return {
    ...draft,
    code: draft.code.trim(),
    name: draft.name.trim(),
    instanceName: draft.instanceName.trim(),
  };
}
