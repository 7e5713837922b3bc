/** Creates an integration: its name and its grants. */
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { tell } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { Grant } from '../../platform/rpc/shapes.ts';

/** The dialog; it leads on to the integration, where its credentials are made. */
export function NewIntegrationDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [name, setName] = useState('');
  const [grants, setGrants] = useState<readonly Grant[]>([]);
  const create = useRpcChange('console.integrations.create', [
    'console.integrations.list',
    'console.overview',
  ]);
  const close = () => {
    setName('');
    setGrants([]);
    create.reset();
    onClose();
  };
  const submit = () =>
    create.mutate(
      { name: name.trim(), grants },
      {
        onSuccess: ({ id }) => {
          tell(`Integration “${name.trim()}” created`);
          close();
          navigate(href(`/integrations/${id}`));
        },
      },
    );
  return (
    <Dialog title="New integration" isOpen={isOpen} onClose={close}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label="Name"
          hint="What it is or where it runs: “Boiler house gateway”."
          value={name}
          onChange={setName}
          error={fieldError(create.error, 'name')}
          isRequired
          autoFocus
          maxLength={128}
        />
        <GrantFields grants={grants} onChange={setGrants} />
        {create.error && <ErrorNotice error={create.error} shown={['name']} />}
        <div className="form-actions">
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" tone="primary" isPending={create.isPending} isDisabled={name.trim() === ''}>
            Create
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** What each grant means, and what it can do harm with. */
export const grantTexts: Readonly<Record<Grant, { title: string; text: string; warning: string }>> = {
  service: {
    title: 'Reading of items',
    text: 'Read the metadata and points of every published item, also of other integrations.',
    warning: 'Every client with its credentials can read all published data of this instance.',
  },
  admin: {
    title: 'Administration',
    text: 'See and publish the signals of every integration.',
    warning:
      'Every client with its credentials can see the signals of all integrations, and change every published item. Give it to few.',
  },
};

function GrantFields({
  grants,
  onChange,
}: {
  grants: readonly Grant[];
  onChange(grants: readonly Grant[]): void;
}) {
  const names = ['service', 'admin'] as const;
  return (
    <fieldset className="field-group">
      <legend className="field-label">It may write its own signals, and beside that</legend>
      {names.map((name) => (
        <CheckField
          key={name}
          isSelected={grants.includes(name)}
          onChange={(isOn) => onChange(isOn ? [...grants, name] : grants.filter((each) => each !== name))}
        >
          <b>{grantTexts[name].title}</b>
          <br />
          <span className="quiet small">{grantTexts[name].text}</span>
        </CheckField>
      ))}
      {grants.map((name) => (
        <Notice key={name} mood="warn">
          {grantTexts[name].warning}
        </Notice>
      ))}
    </fieldset>
  );
}
