/** The grants of an integration. Granting asks for confirmation; revoking takes effect immediately. */

import type { IntegrationFigures } from '@tidemark/client/wire';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { Card } from '../../parts/page.tsx';
import { tell, tellError } from '../../parts/toast.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import type { Grant } from '../../platform/rpc/shapes.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { grantTexts } from './new-integration-dialog.tsx';

const grants = ['service', 'admin'] as const;
const renewed = ['console.integrations.list'] as const;

/** The card. */
export function GrantCard({ integration }: { integration: IntegrationFigures }) {
  const isAdmin = useIsAdmin();
  const [asked, setAsked] = useState<Grant | null>(null);
  const give = useRpcChange('console.integrations.grant', renewed);
  const take = useRpcChange('console.integrations.revoke', renewed);
  const { id } = integration;
  const change = (grant: Grant, isOn: boolean) => {
    if (isOn) return setAsked(grant);
    take.mutate(
      { id, grant },
      { onSuccess: () => tell(`“${grantTexts[grant].title}” taken back`), onError: tellError },
    );
  };
  const confirm = (grant: Grant) =>
    give.mutate(
      { id, grant },
      {
        onSuccess: () => {
          tell(`“${grantTexts[grant].title}” given`);
          setAsked(null);
        },
      },
    );
  return (
    <Card title="Access" note="It can always save and fill its own signals, and no others.">
      {grants.map((grant) => (
        <div key={grant} className="grant">
          <SwitchField
            isSelected={integration.grants.includes(grant)}
            onChange={(isOn) => change(grant, isOn)}
            isDisabled={!isAdmin || take.isPending}
          >
            <b>{grantTexts[grant].title}</b>
          </SwitchField>
          <p className="quiet">{grantTexts[grant].text}</p>
        </div>
      ))}
      {asked && (
        <ConfirmDialog
          title={`Give “${grantTexts[asked].title}”?`}
          action="Give access"
          isOpen
          onClose={() => setAsked(null)}
          onConfirm={() => confirm(asked)}
          isPending={give.isPending}
          error={give.error}
        >
          <p>{grantTexts[asked].warning}</p>
          <p className="quiet">It can be taken back at any time and then ends within a second.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
