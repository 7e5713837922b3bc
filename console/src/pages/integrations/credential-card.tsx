/** The credentials of an integration: create, rotate, revoke. */
import type { Credential } from '@tidemark/client/wire';
import { type ReactNode, useState } from 'react';
import { Badge, dash } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ageColumn, menuColumn, momentColumn } from '../../parts/column-kinds.tsx';
import { type Answered, EmptyState } from '../../parts/notice.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import type { NewCredential } from '../../platform/rpc/shapes.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { nowMs } from '../../platform/time/clock.ts';
import { Age, parseMoment, useNow } from '../../platform/time/moment.tsx';
import {
  credentialName,
  MadeDialog,
  NewCredentialDialog,
  RevokeDialog,
  RotateDialog,
} from './credential-dialogs.tsx';

const typeTexts = {
  'client-credentials': 'Credentials file',
  'basic-auth': 'Basic pair',
} as const;

interface CredentialCardProps {
  integration: string;
  name: string;
  answer: Answered<{ credentials: readonly Credential[] }>;
  onMade(made: NewCredential): void;
}

/** The card. `onMade` is called with each new secret. */
export function CredentialCard({ integration, name, answer, onMade }: CredentialCardProps) {
  const isAdmin = useIsAdmin();
  const [dialog, setDialog] = useState<ReactNode>(null);
  const close = () => setDialog(null);
  const take = (made: NewCredential) => {
    setDialog(<MadeDialog made={made} integrationName={name} onClose={close} />);
    onMade(made);
  };
  const list = answer.data?.credentials;
  const make = <NewCredentialDialog integration={integration} onClose={close} onMade={take} />;
  const create = isAdmin && (
    <Button icon="key" tone={list?.length === 0 ? 'primary' : 'normal'} onPress={() => setDialog(make)}>
      New credential
    </Button>
  );
  const rotate = (credential: Credential) =>
    setDialog(<RotateDialog credential={credential} onClose={close} onMade={take} />);
  const revoke = (credential: Credential) =>
    setDialog(<RevokeDialog credential={credential} onClose={close} />);
  const actions = menuColumn<Credential>(credentialName, (credential) => [
    { text: 'Rotate …', icon: 'refresh', run: () => rotate(credential) },
    { text: 'Revoke …', icon: 'trash', isDanger: true, run: () => revoke(credential) },
  ]);
  return (
    <>
      <TableCard
        title="Credentials"
        note="Secrets are shown once; only a digest is stored."
        actions={create}
        name="credentials"
        of={answer}
        list={list}
        columns={isAdmin ? [...columns, actions] : columns}
        idOf={({ id }) => id}
        height="360px"
        empty={
          <EmptyState icon="key" title="No credentials yet" action={create}>
            <p>Without one, no program can sign in as this integration.</p>
          </EmptyState>
        }
      />
      {dialog}
    </>
  );
}

const columns: readonly Column<Credential>[] = [
  {
    id: 'label',
    title: 'Label',
    width: '1.6fr',
    cell: ({ label, id }) => <span className={label ? 'table-name' : 'mono'}>{label || id}</span>,
  },
  { id: 'type', title: 'Type', width: '1.3fr', cell: ({ type }) => typeTexts[type] },
  { id: 'state', title: 'State', width: '1.2fr', cell: (credential) => <Validity credential={credential} /> },
  ageColumn('lastUsedAt', 'Last used'),
  {
    id: 'lastUsedFrom',
    title: 'From',
    width: '1.4fr',
    cell: ({ lastUsedFrom }) => <Origin origin={lastUsedFrom} />,
  },
  momentColumn('createdAt', 'Created', { width: '1.7fr' }),
];

function Origin({ origin }: { origin: Credential['lastUsedFrom'] }) {
  if (origin === null) return dash;
  const { address, userAgent } = origin;
  return (
    <span className="cut" title={`${address} ${userAgent}`}>
      {address} <span className="quiet">{userAgent}</span>
    </span>
  );
}

function Validity({ credential: { expiresAt } }: { credential: Credential }) {
  const now = useNow();
  const endMs = parseMoment(expiresAt);
  if (endMs === null) return <Badge tone="good">valid</Badge>;
  if (endMs <= Math.max(now, nowMs())) return <Badge>expired</Badge>;
  return (
    <Badge tone="warn">
      expires <Age at={endMs} />
    </Badge>
  );
}
