/** A button that tests a new credential while its secret is still shown, and the result of each step. */
import { useMutation } from '@tanstack/react-query';
import type { CredentialsFile } from '@tidemark/client/wire';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { type StepEntry, StepList } from '../../parts/step-list.tsx';
import { baseUrl } from '../../platform/rpc/base.ts';
import { printMs } from '../operate/milliseconds.ts';
import { type Finding, type Step, stepsOf, tryConnection } from './connection.ts';
import { useBroker } from './mqtt-fact.tsx';

const titles: Readonly<Record<Step, string>> = {
  address: 'Address that programs will use',
  token: 'Token for the secret',
  call: 'Call as the integration',
  mqtt: 'Connection to the MQTT broker',
};

/** The button, and the steps after it was pressed. */
export function ConnectionTester({ file }: { file: CredentialsFile }) {
  // Another broker than the service's own may not be reached from here.
  const hasBroker = useBroker(file.integration)?.traffic.connections != null;
  const steps = stepsOf(file, hasBroker);
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const trial = useMutation({
    // If the browser is offline, report it instead of waiting.
    networkMode: 'always',
    mutationFn: () => tryConnection(file, baseUrl, steps, (next) => setFindings((all) => [...all, next])),
    onMutate: () => setFindings([]),
  });
  const findingOf = (step: Step) => findings.findLast((each) => each.step === step);
  const next = trial.isPending ? steps.find((step) => findingOf(step) === undefined) : undefined;
  return (
    <div className="stack-tight">
      <div>
        <Button icon="plug" isPending={trial.isPending} onPress={() => trial.mutate()}>
          Test the connection
        </Button>
      </div>
      {!trial.isIdle && (
        <StepList steps={steps.map((step) => stepEntry(step, findingOf(step), step === next))} />
      )}
      <div aria-live="polite">{trial.isSuccess && <Outcome findings={findings} />}</div>
    </div>
  );
}

function stepEntry(step: Step, finding: Finding | undefined, isNext: boolean): StepEntry {
  if (finding === undefined) return { id: step, state: isNext ? 'next' : 'open', title: titles[step] };
  const { mood, ms, words, answer } = finding;
  const note = (
    <>
      {ms !== null && <span className="quiet figures"> {printMs(ms)}</span>}
      {words && <p>{words}</p>}
      {answer && <p className="quiet small">{answer}</p>}
    </>
  );
  return { id: step, state: mood === 'good' ? 'done' : mood, title: titles[step], note };
}

function Outcome({ findings }: { findings: readonly Finding[] }) {
  const has = (mood: Finding['mood']) => findings.some((each) => each.mood === mood);
  if (has('bad')) return null;
  return (
    <p>
      {has('warn')
        ? 'The credential works at the address of your browser.'
        : 'The credential works: a program can sign in with it.'}
    </p>
  );
}
