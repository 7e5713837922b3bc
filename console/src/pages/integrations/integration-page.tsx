/** One integration: what it may do, its credentials, and how its data gets here. */

import type { CredentialsFile, IntegrationFigures } from '@tidemark/client/wire';
import { useEffect, useState } from 'react';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { EmptyState, ErrorNotice, Notice, Waiting } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card, Facts, Page } from '../../parts/page.tsx';
import { tell, tellError } from '../../parts/toast.tsx';
import type { PageProps } from '../../platform/router/page-props.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Age, Moment } from '../../platform/time/moment.tsx';
import { useSizes } from '../operate/sizes.ts';
import { CredentialCard } from './credential-card.tsx';
import { ErrorsCard } from './errors-card.tsx';
import { FirstDataCard } from './first-data-card.tsx';
import { GrantCard } from './grant-card.tsx';
import { DeleteDialog, DisableDialog, RenameDialog } from './integration-dialogs.tsx';
import { SilentCount } from './silent-count.tsx';
import { SnippetCard } from './snippet-card.tsx';
import './integrations.css';

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
      {list.error && <ErrorNotice error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Waiting />}
      {list.data && (
        <EmptyState icon="plug" title="There is no such integration">
          <p>It may have been deleted.</p>
        </EmptyState>
      )}
    </Page>
  );
}

/** Until its first data has arrived, the figures of an integration are asked for more often. */
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
  const [doing, setDoing] = useState<'rename' | 'disable' | 'delete' | null>(null);
  const enable = useEnable(integration);
  const [wasSilent] = useState(integration.points7d === 0);
  const actions = (
    <>
      <LinkButton to={href('/signals', { integration: id })} icon="wave">
        Signals
      </LinkButton>
      {isAdmin && (
        <Menu
          label="Actions for the integration"
          tone="normal"
          entries={[
            { text: 'Rename …', icon: 'pencil', run: () => setDoing('rename') },
            integration.disabledAt === null
              ? { text: 'Disable …', icon: 'pause', run: () => setDoing('disable') }
              : { text: 'Enable', icon: 'play', run: enable },
            null,
            { text: 'Delete …', icon: 'trash', isDanger: true, run: () => setDoing('delete') },
          ]}
        />
      )}
    </>
  );
  return (
    <Page title={name} back={{ to: href('/integrations'), text: 'Integrations' }} actions={actions}>
      <DisabledNotice integration={integration} onEnable={enable} />
      {wasSilent && <FirstDataCard integration={integration} />}
      <IntegrationFacts integration={integration} />
      <ErrorsCard integration={integration} />
      <CredentialCard
        integration={id}
        name={name}
        credentials={credentials.data?.credentials}
        error={credentials.error}
        onMade={(made) => setFile(made.file)}
      />
      <SnippetCard integration={id} file={file} credentials={credentials.data?.credentials ?? []} />
      <GrantCard integration={integration} />
      {doing === 'rename' && <RenameDialog integration={integration} onClose={() => setDoing(null)} />}
      {doing === 'disable' && <DisableDialog integration={integration} onClose={() => setDoing(null)} />}
      {doing === 'delete' && <DeleteDialog integration={integration} onClose={() => setDoing(null)} />}
    </Page>
  );
}

function useEnable({ id, name }: IntegrationFigures): () => void {
  const enable = useRpcChange('console.integrations.enable', ['console.integrations.list']);
  return () =>
    enable.mutate({ id }, { onSuccess: () => tell(`Integration “${name}” enabled`), onError: tellError });
}

function DisabledNotice({
  integration: { disabledAt },
  onEnable,
}: {
  integration: IntegrationFigures;
  onEnable(): void;
}) {
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
        <b>Disabled</b> since <Moment at={disabledAt} />: its credentials are refused. What it has stored
        stays.
      </p>
    </Notice>
  );
}

function IntegrationFacts({ integration }: { integration: IntegrationFigures }) {
  const {
    id,
    signals,
    items,
    pointsToday,
    points7d,
    requestsToday,
    rejectedToday,
    lastSeenAt,
    createdAt,
    plan,
  } = integration;
  const silence = useRpc('console.signals.silent', {}, { refetchMs: 30_000 }).data?.integrations.find(
    (one) => one.integration === id,
  );
  const size = useSizes().data?.integrations.find((one) => one.integration === id);
  return (
    <Card title="About">
      <Facts
        facts={[
          ['ID', <CopyId key="id" id={id} label="Copy integration ID" />],
          ['Last seen', <Age key="seen" at={lastSeenAt} />],
          ['Newest point', <Age key="point" at={silence?.lastTime} />],
          ['Silent signals', <SilentCount key="silent" integration={id} silence={silence} />],
          [
            'Signals',
            <span key="signals">
              <a href={href('/signals', { integration: id })}>{printCount(signals)}</a>
              <span className="quiet">, {printCount(items)} published as items</span>
            </span>,
          ],
          [
            'Points',
            <span key="points">
              {printCount(pointsToday)} today, {printCount(points7d)} in seven days
            </span>,
          ],
          [
            'Calls today',
            <span key="calls">
              {printCount(requestsToday)}
              {rejectedToday > 0 && (
                <span className="quiet">, {printCount(rejectedToday)} more refused by its plan</span>
              )}
            </span>,
          ],
          ...(size === undefined
            ? []
            : [
                [
                  'Store',
                  <span key="store">
                    {printBytes(size.bytes)}
                    <span className="quiet">, {printCount(size.points)} points</span>
                  </span>,
                ] as const,
              ]),
          ['Plan', plan],
          ['Created', <Moment key="created" at={createdAt} />],
        ]}
      />
    </Card>
  );
}
