/** The first run: administrator, instance, retention, demo data. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { PlainForm } from '../../parts/form.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { notifyError } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { useSession } from '../../platform/session/context.tsx';
import { setUp } from '../../platform/session/session.ts';
import { draftProblem, keepProblem, newDraft, setupOf, stepOfError } from './draft.ts';
import { EntryFrame } from './entry-frame.tsx';
import { AdministratorStep, DataStep, InstanceStep } from './setup-steps.tsx';
import './setup-page.css';

const titles = ['Set up Tidemark', 'Your instance', 'Your data'] as const;

const leads = [
  'Create the first administrator. The one-time code proves that you operate this service.',
  'What distinguishes this instance from others. You can change it later.',
  'How long points are kept, and whether the instance starts with sample data.',
] as const;

/** The wizard: three steps; the last one signs in. */
export default function SetupPage() {
  const { accept, session } = useSession();
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState(() => newDraft(session.instance));
  const [isChecked, setChecked] = useState(false);
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const setup = useMutation({
    mutationFn: () => setUp(setupOf(draft)),
    onSuccess: (next) => {
      navigate(href('/welcome'), { replace: true });
      accept(next);
      if (draft.keep !== 'forever')
        call('console.retention.set', { scope: 'all', keep: draft.keep }).catch(notifyError);
    },
    onError: (error) => setStep(stepOfError(error)),
  });
  const last = titles.length - 1;
  const submit = () => {
    setChecked(true);
    if (step === last) return keepProblem(draft.keep) === undefined && setup.mutate();
    if (step > 0 || draftProblem(draft) === null) setStep(step + 1);
  };
  const Step = steps[step] ?? DataStep;
  return (
    <EntryFrame title={titles[step] ?? ''} lead={leads[step]}>
      <ol className="steps" aria-label={`Step ${step + 1} of ${titles.length}`}>
        {titles.map((title, i) => (
          <li key={title} className={i <= step ? 'done' : ''} />
        ))}
      </ol>
      <PlainForm isChecked={false} onSubmit={submit}>
        <Step key={step} draft={draft} change={change} error={setup.error} isChecked={isChecked} />
        {setup.error && <ErrorNotice error={setup.error} shown={['code', 'name', 'password']} />}
        <div className="form-actions">
          {step > 0 && <Button onPress={() => setStep(step - 1)}>Back</Button>}
          <Button type="submit" tone="primary" isPending={setup.isPending}>
            {step < last ? 'Continue' : 'Finish set-up'}
          </Button>
        </div>
      </PlainForm>
    </EntryFrame>
  );
}

const steps = [AdministratorStep, InstanceStep, DataStep];
