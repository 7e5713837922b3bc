/** A button that tries a new credential while its secret is still shown, and what came of each step. */
import { useMutation } from '@tanstack/react-query';
import type { CredentialsFile } from '@tidemark/client/wire';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { baseUrl } from '../../platform/rpc/base.ts';
import { printMs } from '../operate/milliseconds.ts';
import { type Finding, type Step, stepsOf, tryConnection } from './connection.ts';

const titles: Readonly<Record<Step, string>> = {
  address: 'Address that programs will use',
  token: 'Token for the secret',
  call: 'Call as the integration',
};

const icons = { good: 'check', warn: 'warn', bad: 'close' } as const;
const spoken = { good: 'done', warn: 'look at this', bad: 'failed' } as const;

/** The button, and below it the steps once it was pressed. */
export function ConnectionTester({ file }: { file: CredentialsFile }) {
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const trial = useMutation({
    // If the browser is offline, report it instead of waiting.
    networkMode: 'always',
    mutationFn: () => tryConnection(file, baseUrl, (next) => setFindings((all) => [...all, next])),
    onMutate: () => setFindings([]),
  });
  const steps = stepsOf(file);
  const findingOf = (step: Step) => findings.findLast((each) => each.step === step);
  const next = trial.isPending ? steps.find((step) => findingOf(step) === undefined) : undefined;
  return (
    <div className="tester">
      <div>
        <Button icon="plug" isPending={trial.isPending} onPress={() => trial.mutate()}>
          Test the connection
        </Button>
      </div>
      <div aria-live="polite" className="tester-steps">
        {!trial.isIdle && (
          <ol className="checks">
            {steps.map((step) => (
              <StepLine key={step} step={step} finding={findingOf(step)} isNext={step === next} />
            ))}
          </ol>
        )}
        {trial.isSuccess && <Outcome findings={findings} />}
      </div>
    </div>
  );
}

function StepLine({ step, finding, isNext }: { step: Step; finding: Finding | undefined; isNext: boolean }) {
  if (finding === undefined)
    return (
      <li className={isNext ? 'next' : ''}>
        <span className="check-mark" />
        <span>
          {titles[step]}
          <span className="hidden-text">: not yet</span>
        </span>
      </li>
    );
  const { mood, ms, words, answer } = finding;
  return (
    <li className={mood === 'good' ? 'done' : mood}>
      <span className="check-mark">
        <Icon name={icons[mood]} size={12} />
      </span>
      <span className="break">
        {titles[step]}
        <span className="hidden-text">: {spoken[mood]}</span>
        {ms !== null && <span className="quiet figures"> {printMs(ms)}</span>}
        {words && <span className="tester-words">{words}</span>}
        {answer && <span className="tester-words quiet small">{answer}</span>}
      </span>
    </li>
  );
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
