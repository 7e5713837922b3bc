/** Renaming, disabling and deleting an integration. */
import type { IntegrationFigures } from '@tidemark/client/wire';
import { useState } from 'react';
import { ConfirmDialog, FormDialog, NameField, useDialogCall } from '../../parts/form.tsx';
import { Waiting } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { notify } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';

const renewed = ['console.integrations.list'] as const;

interface DialogProps {
  integration: IntegrationFigures;
  onClose(): void;
}

/** Another name; the ID and the credentials stay. */
export function RenameDialog({ integration, onClose }: DialogProps) {
  const [name, setName] = useState(integration.name);
  const rename = useDialogCall('console.integrations.rename', renewed, 'Renamed', onClose);
  return (
    <FormDialog
      title="Rename integration"
      action="Rename"
      sending={rename}
      shown={['name']}
      isDisabled={name.trim() === ''}
      onSubmit={() => rename.mutate({ id: integration.id, name: name.trim() })}
      onClose={onClose}
    >
      <NameField
        hint="The ID stays the same, so programs are not affected."
        value={name}
        onChange={setName}
        error={rename.error}
      />
    </FormDialog>
  );
}

/** Refuses its credentials from now on; nothing is lost. */
export function DisableDialog({ integration: { id, name }, onClose }: DialogProps) {
  const done = `Integration “${name}” disabled`;
  const disable = useDialogCall('console.integrations.disable', renewed, done, onClose);
  return (
    <ConfirmDialog
      title="Disable integration?"
      action="Disable"
      sending={disable}
      onSubmit={() => disable.mutate({ id })}
      onClose={onClose}
    >
      <p>
        Within a second, programs that use the credentials of <b>{name}</b> are refused, including those that
        already have a token. Data that they send while it is disabled is lost, unless they buffer it.
      </p>
      <p className="quiet">Stored data stays and can be read. Enabling the integration restores access.</p>
    </ConfirmDialog>
  );
}

/** Deletes an integration, after showing what is deleted with it. */
export function DeleteDialog({ integration: { id, name, items }, onClose }: DialogProps) {
  const impact = useRpc('console.integrations.delete', { id, dryRun: true });
  const remove = useRpcChange(
    'console.integrations.delete',
    ['console.integrations.list', 'console.overview', 'admin.selectSignals'],
    () => {
      notify(`Integration “${name}” deleted`);
      navigate(href('/integrations'));
    },
  );
  return (
    <ConfirmDialog
      title="Delete integration"
      action="Delete integration"
      phrase={name}
      sending={{ isPending: remove.isPending, error: impact.error ?? remove.error }}
      onSubmit={() => remove.mutate({ id, dryRun: false })}
      onClose={onClose}
    >
      {impact.data ? (
        <>
          <p>
            This deletes <b>{name}</b>, {printNumberOf(impact.data.signals, 'signal')} with all their points,
            and {printNumberOf(impact.data.credentials, 'credential')}. It cannot be undone.
          </p>
          <p className="quiet">
            Items stay, but those that get data only from its signals will have none. At present it feeds{' '}
            {printNumberOf(items, 'item')}.
          </p>
        </>
      ) : (
        <Waiting label="Counting what would be deleted" />
      )}
    </ConfirmDialog>
  );
}
