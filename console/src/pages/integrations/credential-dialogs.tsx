/** Making and rotating credentials, and the one time that a secret is shown. */

import type { Credential } from '@tidemark/client/wire';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ChoiceField, SelectField, TextField } from '../../parts/field.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { Facts } from '../../parts/page.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { CredentialType, NewCredential } from '../../platform/rpc/shapes.ts';
import { nowMs } from '../../platform/time/clock.ts';
import { ConnectionTester } from './connection-tester.tsx';

const renewed = ['console.credentials.list', 'console.integrations.list'] as const;

const lifetimes = [
  { value: '0', text: 'Never' },
  { value: '30', text: 'In 30 days' },
  { value: '90', text: 'In 90 days' },
  { value: '365', text: 'In a year' },
] as const;

type Days = (typeof lifetimes)[number]['value'];

/** The form for a new credential. */
export function NewCredentialDialog({
  integration,
  isOpen,
  onClose,
  onMade,
}: {
  integration: string;
  isOpen: boolean;
  onClose(): void;
  onMade(made: NewCredential): void;
}) {
  const [type, setType] = useState<CredentialType>('client-credentials');
  const [label, setLabel] = useState('');
  const [days, setDays] = useState<Days>('0');
  const create = useRpcChange('console.credentials.create', renewed);
  const expiry =
    days === '0' ? {} : { expiresAt: new Date(nowMs() + Number(days) * 86_400_000).toISOString() };
  const submit = () =>
    create.mutate(
      { integration, type, label: label.trim(), ...expiry },
      {
        onSuccess: (made) => {
          setLabel('');
          onMade(made);
        },
      },
    );
  return (
    <Dialog title="New credential" isOpen={isOpen} onClose={onClose}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <ChoiceField<CredentialType>
          label="Type"
          value={type}
          onChange={setType}
          options={[
            {
              value: 'client-credentials',
              text: 'Credentials file',
              note: 'For programs: the file is exchanged for tokens that last for hours. The better choice.',
            },
            {
              value: 'basic-auth',
              text: 'Basic pair',
              note: 'A user name and a password in each call: for devices and tools that know nothing else.',
            },
          ]}
        />
        <TextField
          label="Label"
          hint="Where it will be used, so that you know later what a revocation stops."
          value={label}
          onChange={setLabel}
          error={fieldError(create.error, 'label')}
          maxLength={128}
          placeholder="gateway in hall 3"
        />
        <SelectField<Days> label="Expires" value={days} onChange={setDays} options={lifetimes} />
        {create.error && <ErrorNotice error={create.error} shown={['label']} />}
        <div className="form-actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isPending={create.isPending}>
            Create credential
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

const overlaps = [
  { value: 'PT0S', text: 'It ends at once' },
  { value: 'PT1H', text: 'One hour' },
  { value: 'PT24H', text: 'One day' },
  { value: 'PT168H', text: 'One week' },
] as const;

type Overlap = (typeof overlaps)[number]['value'];

/** Replaces a credential while the old one still works. */
export function RotateDialog({
  credential,
  onClose,
  onMade,
}: {
  credential: Credential;
  onClose(): void;
  onMade(made: NewCredential): void;
}) {
  const [overlap, setOverlap] = useState<Overlap>('PT24H');
  const rotate = useRpcChange('console.credentials.rotate', renewed);
  return (
    <Dialog title={`Rotate “${credential.label || credential.id}”`} isOpen onClose={onClose}>
      <p>
        You get a new secret of the same type and label. The old one goes on working for a while, so that
        programs can be changed over without an interruption.
      </p>
      <SelectField<Overlap>
        label="How long the old one still works"
        value={overlap}
        onChange={setOverlap}
        options={overlaps}
      />
      {rotate.error && <ErrorNotice error={rotate.error} />}
      <div className="form-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button
          tone="primary"
          isPending={rotate.isPending}
          onPress={() => rotate.mutate({ id: credential.id, overlap }, { onSuccess: onMade })}
        >
          Rotate
        </Button>
      </div>
    </Dialog>
  );
}

/** Shows a secret, this once. */
export function MadeDialog({
  made: { file, credential },
  integrationName,
  onClose,
}: {
  made: NewCredential;
  integrationName: string;
  onClose(): void;
}) {
  const [isSaved, setSaved] = useState(false);
  const name = `${fileName(integrationName)}-credentials.json`;
  const save = () => {
    download(name, `${JSON.stringify(file, null, 2)}\n`, 'application/json');
    setSaved(true);
  };
  return (
    <Dialog title="Credential created" isOpen onClose={onClose} isKept>
      <Notice mood="warn">
        This is the only time that the secret is shown. Download the file, or copy what you need, before you
        close.
      </Notice>
      {credential.type === 'basic-auth' ? (
        <Facts
          facts={[
            ['User name', <Secret key="user" text={file.integration} label="Copy user name" />],
            [
              'Password',
              <Secret key="password" text={file.credentials.clientSecret} label="Copy password" />,
            ],
          ]}
        />
      ) : (
        <Facts
          facts={[
            ['Client ID', <Secret key="id" text={file.credentials.clientId} label="Copy client ID" />],
            [
              'Client secret',
              <Secret key="secret" text={file.credentials.clientSecret} label="Copy client secret" />,
            ],
          ]}
        />
      )}
      <ConnectionTester file={file} />
      <div className="form-actions">
        <Button icon="download" tone={isSaved ? 'normal' : 'primary'} onPress={save}>
          Download {name}
        </Button>
        <Button tone={isSaved ? 'primary' : 'normal'} onPress={onClose}>
          {isSaved ? 'Done' : 'Close'}
        </Button>
      </div>
    </Dialog>
  );
}

function Secret({ text, label }: { text: string; label: string }) {
  return (
    <span className="secret">
      <code className="break">{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

function fileName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'integration'
  );
}
