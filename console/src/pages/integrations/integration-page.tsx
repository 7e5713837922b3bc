/** One integration: what it may do, its credentials, and how its data gets here. */
import type { CredentialsFile, IntegrationFigures } from '@tidemark/client/wire';
import { useEffect, useState } from 'react';
import { dash } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Answer, EmptyState, Notice } from '../../parts/notice.tsx';
import { printBytes, printCount, printNumberOf } from '../../parts/number.ts';
import { Card, Facts, Page } from '../../parts/page.tsx';
import { notify, notifyError } from '../../parts/toast.tsx';
import { href, type PageProps } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Age, Moment } from '../../platform/time/moment.tsx';
import { useSizes } from '../operate/sizes.ts';
import { CredentialCard } from './credential-card.tsx';
import { ErrorsCard } from './errors-card.tsx';
import { FirstDataCard } from './first-data-card.tsx';
import { GrantCard } from './grant-card.tsx';
import { SilentCount, useSilences } from './integration-badges.tsx';
import { DeleteDialog, DisableDialog, RenameDialog } from './integration-dialogs.tsx';
import { MqttFact, useBroker } from './mqtt-fact.tsx';
import { SnippetCard } from './snippet-card.tsx';

/** The page. */
export default function IntegrationPage({ params }: PageProps) {
  const id = params.id ?? '';
  const [known, setKnown] = useState<IntegrationFigures>();
  const list = useRpc('console.integrations.list', {}, { refetchMs: refetchMs(known) });
  const integration = list.data?.integrations.find((each) => each.id === id);
  useEffect(() => setKnown(integration), [integration]);
  if (integration) return <Known integration={integration} />;
  return (
    <Page title="Integration" back={{ to: href('/integrations'), text: 'Integrations' }}>
      <Answer of={list}>
        {() => (
          <EmptyState icon="plug" title="There is no such integration">
            <p>It may have been deleted.</p>
          </EmptyState>
        )}
      </Answer>
    </Page>
  );
}

/** Until its first data has arrived, the figures of an integration are requested more often. */
function refetchMs(integration: IntegrationFigures | undefined): number {
  return (integration?.points7d ?? 0) > 0 ? 15_000 : 2500;
}

function Known({ integration }: { integration: IntegrationFigures }) {
  const { id, name } = integration;
  const isAdmin = useIsAdmin();
  const credentials = useRpc(
    'console.credentials.list',
    { integration: id },
    { refetchMs: refetchMs(integration) },
  );
  const [file, setFile] = useState<CredentialsFile | null>(null);
  const enable = useEnable(integration);
  const [hadNoData] = useState(integration.points7d === 0);
  const actions = (
    <>
      <LinkButton to={href('/signals', { integration: id })} icon="wave">
        Signals
      </LinkButton>
      {isAdmin && <Actions integration={integration} onEnable={enable} />}
    </>
  );
  return (
    <Page title={name} back={{ to: href('/integrations'), text: 'Integrations' }} actions={actions}>
      <DisabledNotice integration={integration} onEnable={enable} />
      {hadNoData && <FirstDataCard integration={integration} />}
      <IntegrationFacts integration={integration} />
      <ErrorsCard integration={integration} />
      <CredentialCard
        integration={id}
        name={name}
        answer={credentials}
        onMade={(made) => setFile(made.file)}
      />
      <SnippetCard integration={id} file={file} credentials={credentials.data?.credentials ?? []} />
      <GrantCard integration={integration} />
    </Page>
  );
}

interface EnableProps {
  integration: IntegrationFigures;
  onEnable(): void;
}

function Actions({ integration, onEnable }: EnableProps) {
  const [Dialog, setDialog] = useState<typeof RenameDialog | null>(null);
  const open = (next: typeof RenameDialog) => setDialog(() => next);
  return (
    <>
      <Menu
        label="Actions for the integration"
        tone="normal"
        entries={[
          { text: 'Rename …', icon: 'pencil', run: () => open(RenameDialog) },
          integration.disabledAt === null
            ? { text: 'Disable …', icon: 'pause', run: () => open(DisableDialog) }
            : { text: 'Enable', icon: 'play', run: onEnable },
          null,
          { text: 'Delete …', icon: 'trash', isDanger: true, run: () => open(DeleteDialog) },
        ]}
      />
      {Dialog && <Dialog integration={integration} onClose={() => setDialog(null)} />}
    </>
  );
}

function useEnable({ id, name }: IntegrationFigures): () => void {
  const enable = useRpcChange('console.integrations.enable', ['console.integrations.list'], () =>
    notify(`Integration “${name}” enabled`),
  );
  return () => enable.mutate({ id }, { onError: notifyError });
}

function DisabledNotice({ integration: { disabledAt }, onEnable }: EnableProps) {
  const isAdmin = useIsAdmin();
  if (disabledAt === null) return null;
  return (
    <Notice
      mood="warn"
      action={
        isAdmin && (
          <Button isTiny icon="play" onPress={onEnable}>
            Enable
          </Button>
        )
      }
    >
      <p>
        <b>Disabled</b> since <Moment at={disabledAt} />: its credentials are refused. Stored data stays.
      </p>
    </Notice>
  );
}

function IntegrationFacts({ integration }: { integration: IntegrationFigures }) {
  const { id, signals, items, pointsToday, points7d, requestsToday, rejectedToday } = integration;
  const silence = useSilences()?.find((one) => one.integration === id);
  const broker = useBroker(id);
  const size = useSizes().data?.integrations.find((one) => one.integration === id);
  const rejected = rejectedToday > 0 ? `, ${printCount(rejectedToday)} more refused by its plan` : '';
  const store = size && `${printBytes(size.bytes)}, ${printNumberOf(size.points, 'point')}`;
  return (
    <Card title="About">
      <Facts
        facts={[
          ['ID', <CopyId key="id" id={id} label="Copy integration ID" />],
          ['Last seen', <Age key="seen" at={integration.lastSeenAt} />],
          ['Newest point', <Age key="point" at={silence?.lastTime} />],
          ['Silent signals', <SilentCount key="silent" integration={id} silence={silence} />],
          [
            'Signals',
            <span key="signals">
              <a href={href('/signals', { integration: id })}>{printCount(signals)}</a>
              <span className="quiet">, {printCount(items)} published as items</span>
            </span>,
          ],
          ['Points', `${printCount(pointsToday)} today, ${printCount(points7d)} in seven days`],
          ['Calls today', `${printCount(requestsToday)}${rejected}`],
          ...(broker ? [['MQTT', <MqttFact key="mqtt" {...broker} />] as const] : []),
          ['Store', store ?? dash],
          ['Plan', integration.plan],
          ['Created', <Moment key="created" at={integration.createdAt} />],
        ]}
      />
    </Card>
  );
}
