/** The grants of an integration. Granting asks for confirmation; revoking takes effect immediately. */
import type { IntegrationFigures } from '@tidemark/client/wire';
import { useState } from 'react';
import { SwitchField } from '../../parts/field.tsx';
import { ConfirmDialog, useDialogCall } from '../../parts/form.tsx';
import { Card } from '../../parts/page.tsx';
import { notify, notifyError } from '../../parts/toast.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import type { Grant } from '../../platform/rpc/shapes.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { allGrants, grantTexts } from './new-integration-dialog.tsx';
import './grant-card.css';

const renewed = ['console.integrations.list'] as const;

/** The card. */
export function GrantCard({ integration: { id, grants } }: { integration: IntegrationFigures }) {
  const isAdmin = useIsAdmin();
  const [asked, setAsked] = useState<Grant | null>(null);
  const revoke = useRpcChange('console.integrations.revoke', renewed, (_, { grant }) =>
    notify(`“${grantTexts[grant].title}” revoked`),
  );
  const change = (grant: Grant, isOn: boolean) =>
    isOn ? setAsked(grant) : revoke.mutate({ id, grant }, { onError: notifyError });
  return (
    <Card title="Permissions" note="It can always write its own signals, and no others.">
      {allGrants.map((grant) => (
        <div key={grant} className="grant">
          <SwitchField
            isSelected={grants.includes(grant)}
            onChange={(isOn) => change(grant, isOn)}
            isDisabled={!isAdmin || revoke.isPending}
          >
            <b>{grantTexts[grant].title}</b>
          </SwitchField>
          <p className="quiet">{grantTexts[grant].text}</p>
        </div>
      ))}
      {asked && <GrantDialog id={id} grant={asked} onClose={() => setAsked(null)} />}
    </Card>
  );
}

function GrantDialog({ id, grant, onClose }: { id: string; grant: Grant; onClose(): void }) {
  const { title, warning } = grantTexts[grant];
  const give = useDialogCall('console.integrations.grant', renewed, `“${title}” granted`, onClose);
  return (
    <ConfirmDialog
      title={`Grant “${title}”?`}
      action="Grant"
      sending={give}
      onSubmit={() => give.mutate({ id, grant })}
      onClose={onClose}
    >
      <p>{warning}</p>
      <p className="quiet">It can be revoked at any time, which takes effect within a second.</p>
    </ConfirmDialog>
  );
}
