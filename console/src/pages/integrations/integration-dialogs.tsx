/** Renaming, disabling and deleting an integration. */

import type { IntegrationFigures } from '@tidemark/client/wire';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog, Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { tell } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';

interface DialogProps {
  integration: IntegrationFigures;
  onClose(): void;
}

/** Another name; the ID and the credentials stay. */
export function RenameDialog({ integration, onClose }: DialogProps) {
  const [name, setName] = useState(integration.name);
  const rename = useRpcChange('console.integrations.rename', ['console.integrations.list']);
  const submit = () =>
    rename.mutate(
      { id: integration.id, name: name.trim() },
      {
        onSuccess: () => {
          tell('Renamed');
          onClose();
        },
      },
    );
  return (
    <Dialog title="Rename integration" isOpen onClose={onClose}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label="Name"
          hint="The ID stays, so programs notice nothing."
          value={name}
          onChange={setName}
          error={fieldError(rename.error, 'name')}
          isRequired
          autoFocus
          maxLength={128}
        />
        {rename.error && <ErrorNotice error={rename.error} shown={['name']} />}
        <div className="form-actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isPending={rename.isPending} isDisabled={name.trim() === ''}>
            Rename
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** Refuses its credentials from now on; nothing is lost. */
export function DisableDialog({ integration: { id, name }, onClose }: DialogProps) {
  const disable = useRpcChange('console.integrations.disable', ['console.integrations.list']);
  const confirm = () =>
    disable.mutate(
      { id },
      {
        onSuccess: () => {
          tell(`Integration “${name}” disabled`);
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title="Disable integration?"
      action="Disable"
      isOpen
      onClose={onClose}
      onConfirm={confirm}
      isPending={disable.isPending}
      error={disable.error}
    >
      <p>
        Programs that use the credentials of <b>{name}</b> are refused within a second, also with a token that
        they have already got. Data that they would send meanwhile is lost, unless they keep it.
      </p>
      <p className="quiet">What it has stored stays and can be read. Enabled again, all is as before.</p>
    </ConfirmDialog>
  );
}

/** Deletes an integration, after saying what goes with it. */
export function DeleteDialog({ integration, onClose }: DialogProps) {
  const { id, name } = integration;
  const impact = useRpc('console.integrations.delete', {
    id,
    dryRun: true,
  });
  const remove = useRpcChange('console.integrations.delete', [
    'console.integrations.list',
    'console.overview',
    'admin.selectSignals',
  ]);
  const confirm = () =>
    remove.mutate(
      { id, dryRun: false },
      {
        onSuccess: () => {
          tell(`Integration “${name}” deleted`);
          navigate(href('/integrations'));
        },
      },
    );
  return (
    <ConfirmDialog
      title="Delete integration"
      action="Delete integration"
      phrase={name}
      isOpen
      onClose={onClose}
      onConfirm={confirm}
      isPending={remove.isPending}
      error={impact.error ?? remove.error}
    >
      {impact.data ? (
        <>
          <p>
            With <b>{name}</b> go {printNumberOf(impact.data.signals, 'signal')} with all their points, and{' '}
            {printNumberOf(impact.data.credentials, 'credential')}. This cannot be undone.
          </p>
          <p className="quiet">
            Items stay, but those that only its signals fed will have no data.{' '}
            {printNumberOf(integration.items, 'item')} {integration.items === 1 ? 'is' : 'are'} fed by it now.
          </p>
        </>
      ) : (
        <Waiting label="Counting what would go" />
      )}
    </ConfirmDialog>
  );
}
