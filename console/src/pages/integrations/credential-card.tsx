/** The credentials of an integration: make, rotate, revoke. */

import type { Credential } from '@tidemark/client/wire';
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Menu } from '../../parts/menu.tsx';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { Card } from '../../parts/page.tsx';
import { DataTable, RowActions } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { tell } from '../../parts/toast.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import type { NewCredential } from '../../platform/rpc/shapes.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { nowMs } from '../../platform/time/clock.ts';
import { Age, Moment, parseMoment, useNow } from '../../platform/time/moment.tsx';
import { MadeDialog, NewCredentialDialog, RotateDialog } from './credential-dialogs.tsx';

/** What the names of types mean. */
export const typeTexts = {
  'client-credentials': 'Credentials file',
  'basic-auth': 'Basic pair',
} as const;

type Doing = { what: 'new' } | { what: 'rotate' | 'revoke'; credential: Credential };

/** The card. `onMade` hears of each new secret. */
export function CredentialCard({
  integration,
  name,
  credentials,
  error,
  onMade,
}: {
  integration: string;
  name: string;
  credentials: readonly Credential[] | undefined;
  error: Error | null;
  onMade(made: NewCredential): void;
}) {
  const isAdmin = useIsAdmin();
  const [doing, setDoing] = useState<Doing | null>(null);
  const [made, setMade] = useState<NewCredential | null>(null);
  const columns = columnsFor(isAdmin, setDoing);
  const rows = useLocalRows(credentials, columns);
  const take = (next: NewCredential) => {
    setDoing(null);
    setMade(next);
    onMade(next);
  };
  const create = isAdmin && (
    <Button
      icon="key"
      tone={rows.total === 0 ? 'primary' : 'normal'}
      onPress={() => setDoing({ what: 'new' })}
    >
      New credential
    </Button>
  );
  return (
    <Card
      title="Credentials"
      note="Secrets are shown once and kept only as a digest."
      actions={rows.total > 0 && create}
      isFlush
    >
      {error && <ErrorNotice error={error} />}
      <DataTable
        label="Credentials"
        name="credentials"
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        height="360px"
        empty={
          <EmptyState icon="key" title="No credentials yet" action={create}>
            <p>Without one, no program can sign in as this integration.</p>
          </EmptyState>
        }
      />
      <NewCredentialDialog
        integration={integration}
        isOpen={doing?.what === 'new'}
        onClose={() => setDoing(null)}
        onMade={take}
      />
      {doing?.what === 'rotate' && (
        <RotateDialog credential={doing.credential} onClose={() => setDoing(null)} onMade={take} />
      )}
      {doing?.what === 'revoke' && (
        <RevokeDialog credential={doing.credential} onClose={() => setDoing(null)} />
      )}
      {made && <MadeDialog made={made} integrationName={name} onClose={() => setMade(null)} />}
    </Card>
  );
}

function columnsFor(isAdmin: boolean, act: (doing: Doing) => void): Column<Credential>[] {
  const columns: Column<Credential>[] = [
    {
      id: 'label',
      title: 'Label',
      width: '1.6fr',
      cell: ({ label, id }) => <span className={label ? 'table-name' : 'mono'}>{label || id}</span>,
    },
    { id: 'type', title: 'Type', width: '1.3fr', cell: ({ type }) => typeTexts[type] },
    {
      id: 'state',
      title: 'State',
      width: '1.2fr',
      cell: (credential) => <Validity credential={credential} />,
    },
    {
      id: 'lastUsedAt',
      title: 'Last used',
      width: '1.2fr',
      cell: ({ lastUsedAt }) => <Age at={lastUsedAt} />,
    },
    {
      id: 'lastUsedFrom',
      title: 'From',
      width: '1.4fr',
      cell: ({ lastUsedFrom }) => <UsePlace place={lastUsedFrom} />,
    },
    { id: 'createdAt', title: 'Created', width: '1.7fr', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
  if (!isAdmin) return columns;
  const cell = (credential: Credential) => (
    <RowActions>
      <Menu
        label={`Actions for ${credential.label || credential.id}`}
        isTiny
        entries={[
          { text: 'Rotate …', icon: 'refresh', run: () => act({ what: 'rotate', credential }) },
          { text: 'Revoke …', icon: 'trash', isDanger: true, run: () => act({ what: 'revoke', credential }) },
        ]}
      />
    </RowActions>
  );
  return [...columns, { id: 'actions', title: 'Actions', isTitleHidden: true, width: '60px', cell }];
}

/** The address, and as what the program made itself known. */
function UsePlace({ place }: { place: Credential['lastUsedFrom'] }) {
  if (place === null) return <span className="quiet">–</span>;
  const { address, userAgent } = place;
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
      ends <Age at={endMs} />
    </Badge>
  );
}

function RevokeDialog({ credential, onClose }: { credential: Credential; onClose(): void }) {
  const revoke = useRpcChange('console.credentials.revoke', [
    'console.credentials.list',
    'console.integrations.list',
  ]);
  const confirm = () =>
    revoke.mutate(
      { id: credential.id },
      {
        onSuccess: () => {
          tell('Credential revoked');
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title="Revoke credential"
      action="Revoke"
      isOpen
      onClose={onClose}
      onConfirm={confirm}
      isPending={revoke.isPending}
      error={revoke.error}
    >
      <p>
        Programs that use <b>{credential.label || credential.id}</b> are refused within a second, also with a
        token that they have already got. To change a secret without an interruption, rotate it instead.
      </p>
      <p className="quiet">
        Last used: <Age at={credential.lastUsedAt} />
        {credential.lastUsedFrom && `, from ${credential.lastUsedFrom.address}`}
      </p>
    </ConfirmDialog>
  );
}
