/** The end of the set-up: the demo plant, and the first integration with its snippets. */
import { useMutation } from '@tanstack/react-query';
import type { IntegrationFigures } from '@tidemark/client/wire';
import { useState } from 'react';
import { Button, LinkButton } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { PlainForm } from '../../parts/form.tsx';
import { ErrorNotice, Failure, Waiting } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';
import { call, useRpc } from '../../platform/rpc/rpc.ts';
import type { CredentialType, NewCredential } from '../../platform/rpc/shapes.ts';
import { useIsAdmin, useSession } from '../../platform/session/context.tsx';
import { MadeDialog } from '../integrations/credential-dialogs.tsx';
import { FirstDataCard } from '../integrations/first-data-card.tsx';
import { SnippetCard } from '../integrations/snippet-card.tsx';

/** The page. */
export default function WelcomePage() {
  const { instance } = useSession().session;
  const isAdmin = useIsAdmin();
  const [made, setMade] = useState<NewCredential | null>(null);
  const list = useRpc('console.integrations.list', {}, { refetchMs: made === null ? false : 2500 });
  const take = (next: NewCredential) => {
    setMade(next);
    void list.refetch();
  };
  const mine = list.data?.integrations.find(({ id }) => id === made?.credential.integration);
  const demo = list.data?.integrations.find(({ name }) => name === demoName);
  return (
    <Page title={`${instance.name} is ready`} lead="You are signed in as its first administrator.">
      <Failure of={list} />
      {list.isPending && <Waiting />}
      {demo && <DemoCard demo={demo} />}
      {made === null
        ? isAdmin && list.data && <ConnectCard isFirst={!demo} onMade={take} />
        : mine && <FirstDataCard integration={mine} />}
      {made && (
        <SnippetCard
          integration={made.credential.integration}
          file={made.file}
          credentials={[made.credential]}
        />
      )}
    </Page>
  );
}

/** The name that the set-up gives to the integration of its sample data. */
const demoName = 'Demo plant';

function DemoCard({ demo: { id, name, signals, items } }: { demo: IntegrationFigures }) {
  return (
    <Card title="The demo plant is ready">
      <p>
        “{name}” has {printNumberOf(signals, 'signal')}, {items} of them published as items.
      </p>
      <div className="line">
        <LinkButton to={href('/explorer')} icon="chart" tone="primary">
          Look at its data
        </LinkButton>
        <LinkButton to={href('/signals', { integration: id })} icon="wave">
          See its signals
        </LinkButton>
      </div>
    </Card>
  );
}

const types = [
  { value: 'client-credentials', text: 'Credentials file', note: 'for programs that can ask for tokens' },
  { value: 'basic-auth', text: 'Basic pair', note: 'a user name and a password in each call' },
] as const;

function ConnectCard({ isFirst, onMade }: { isFirst: boolean; onMade(made: NewCredential): void }) {
  const [name, setName] = useState('My first program');
  const [type, setType] = useState<CredentialType>('client-credentials');
  const [shown, setShown] = useState<NewCredential | null>(null);
  const connect = useMutation({ mutationFn: () => makeFirst(name.trim(), type), onSuccess: setShown });
  return (
    <Card title="Connect a program">
      <p className="quiet">
        A program or gateway signs in as an integration. Create one to get snippets with its credentials for
        curl, Python, MQTT, Telegraf and Node-RED.
      </p>
      <PlainForm onSubmit={() => connect.mutate()}>
        <TextField label="Name of the program" value={name} onChange={setName} isRequired maxLength={128} />
        <SelectField<CredentialType>
          label="It signs in with"
          value={type}
          onChange={setType}
          options={types}
        />
        {connect.error && <ErrorNotice error={connect.error} />}
        <div className="line">
          <Button
            type="submit"
            icon="plug"
            tone={isFirst ? 'primary' : 'normal'}
            isPending={connect.isPending}
            isDisabled={name.trim() === ''}
          >
            Create it with a credential
          </Button>
          <LinkButton to={href('/')} tone="plain">
            Later
          </LinkButton>
        </div>
      </PlainForm>
      {shown && <MadeDialog made={shown} integrationName={name} onClose={() => onMade(shown)} />}
    </Card>
  );
}

async function makeFirst(name: string, type: CredentialType): Promise<NewCredential> {
  const { id } = await call('console.integrations.create', { name });
  return call('console.credentials.create', { integration: id, type, label: 'first' });
}
