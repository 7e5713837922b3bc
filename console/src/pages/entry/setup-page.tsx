/** The first run: who administers, what the instance is called, and whether it begins with a demo. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { href, navigate } from '../../router/place.ts';
import { baseUrl } from '../../session/base.ts';
import { useSession } from '../../session/context.tsx';
import { fieldError } from '../../session/rpc-error.ts';
import { type Setup, setUp } from '../../session/session.ts';
import { browserZone } from '../../time/zone.ts';
import { EntryFrame } from './entry-frame.tsx';
import { AdministratorStep, type Draft, draftProblem, InstanceStep } from './setup-steps.tsx';

/** The wizard: two steps, then one is signed in. */
export default function SetupPage() {
  const { accept, session } = useSession();
  const [step, setStep] = useState<1 | 2>(1);
  const [draft, setDraft] = useState<Draft>({
    code: '',
    name: '',
    password: '',
    again: '',
    instanceName: session.instance.name,
    color: session.instance.color,
    timeZone: browserZone,
    demo: false,
  });
  const [isChecked, setChecked] = useState(false);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const setup = useMutation({
    mutationFn: () => setUp(setupOf(draft)),
    onSuccess: (next) => {
      navigate(href('/welcome'), { replace: true });
      accept(next);
    },
    onError: (error) => {
      if (['code', 'name', 'password'].some((field) => fieldError(error, field))) setStep(1);
    },
  });
  const submit = () => {
    setChecked(true);
    if (step === 2) return setup.mutate();
    if (draftProblem(draft) === null) setStep(2);
  };
  return (
    <EntryFrame title={step === 1 ? 'Set up Tidemark' : 'Your instance'} lead={leads[step]}>
      <ol className="steps" aria-label={`Step ${step} of 2`}>
        <li className="done" />
        <li className={step === 2 ? 'done' : ''} />
      </ol>
      <Form
        className="form"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {step === 1 ? (
          <AdministratorStep draft={draft} change={change} error={setup.error} isChecked={isChecked} />
        ) : (
          <InstanceStep draft={draft} change={change} error={setup.error} />
        )}
        {step === 2 && <AddressCheck />}
        {setup.error && <ErrorNotice error={setup.error} shown={['code', 'name', 'password']} />}
        <div className="form-actions">
          {step === 2 && <Button onPress={() => setStep(1)}>Back</Button>}
          <Button type="submit" tone="primary" isPending={setup.isPending}>
            {step === 1 ? 'Continue' : 'Finish set-up'}
          </Button>
        </div>
      </Form>
    </EntryFrame>
  );
}

const leads = {
  1: 'Create the first administrator. The one-time code proves that you run this service.',
  2: 'How people tell this instance from others. All of it can be changed later.',
};

/** Clients are told the address of the service: a proxy that hides it shows here. */
function AddressCheck() {
  const isPlain = baseUrl.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(baseUrl);
  return (
    <Notice mood={isPlain ? 'warn' : 'info'}>
      <p>
        Clients will reach this service at <code className="break">{baseUrl}</code>
      </p>
      {isPlain && <p>It is not encrypted: put it behind TLS before credentials travel over a network.</p>}
    </Notice>
  );
}

function setupOf({ again: _again, ...draft }: Draft): Setup {
  return {
    ...draft,
    code: draft.code.trim(),
    name: draft.name.trim(),
    instanceName: draft.instanceName.trim(),
  };
}
