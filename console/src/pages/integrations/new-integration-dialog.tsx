/** Creates an integration: its name and its grants. */
import { useState } from 'react';
import { CheckField } from '../../parts/field.tsx';
import { FormDialog, NameField } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { notify } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import type { Grant } from '../../platform/rpc/shapes.ts';

/** The dialog; afterwards it opens the integration, where credentials are created. */
export function NewIntegrationDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [grants, setGrants] = useState<readonly Grant[]>([]);
  const create = useRpcChange(
    'console.integrations.create',
    ['console.integrations.list', 'console.overview'],
    ({ id }) => {
      notify(`Integration “${name.trim()}” created`);
      navigate(href(`/integrations/${id}`));
    },
  );
  return (
    <FormDialog
      title="New integration"
      action="Create"
      sending={create}
      shown={['name']}
      isDisabled={name.trim() === ''}
      onSubmit={() => create.mutate({ name: name.trim(), grants })}
      onClose={onClose}
    >
      <NameField
        hint="What it is or where it runs: “Boiler house gateway”."
        value={name}
        onChange={setName}
        error={create.error}
      />
      <GrantFields grants={grants} onChange={setGrants} />
    </FormDialog>
  );
}

/** All grants, in the order in which they are shown. */
export const allGrants = ['service', 'admin'] as const satisfies readonly Grant[];

/** What each grant allows, and its risk. */
export const grantTexts: Readonly<Record<Grant, { title: string; text: string; warning: string }>> = {
  service: {
    title: 'Read items',
    text: 'Read the metadata and points of every published item, including those of other integrations.',
    warning: 'Every client with its credentials can read all published data of this instance.',
  },
  admin: {
    title: 'Administration',
    text: 'See and publish the signals of every integration.',
    warning:
      'Every client with its credentials can see the signals of all integrations, and change every published item. Grant it sparingly.',
  },
};

interface GrantFieldsProps {
  grants: readonly Grant[];
  onChange(grants: readonly Grant[]): void;
}

function GrantFields({ grants, onChange }: GrantFieldsProps) {
  return (
    <fieldset className="field-group">
      <legend className="field-label">Permissions in addition to writing its own signals</legend>
      {allGrants.map((name) => (
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
