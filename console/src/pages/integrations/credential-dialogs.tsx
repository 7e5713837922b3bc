/** Creating, rotating and revoking credentials, and the dialog that shows a new secret. */
import type { Credential } from '@tidemark/client/wire';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ChoiceField, SelectField, TextField } from '../../parts/field.tsx';
import { fileName } from '../../parts/file-name.ts';
import { ConfirmDialog, FormDialog, useDialogCall } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Facts } from '../../parts/page.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { CredentialType, NewCredential } from '../../platform/rpc/shapes.ts';
import { nowMs } from '../../platform/time/clock.ts';
import { Age } from '../../platform/time/moment.tsx';
import { ConnectionTester } from './connection-tester.tsx';
import './credential-dialogs.css';

const credentialsRenewed = ['console.credentials.list', 'console.integrations.list'] as const;

const lifetimes = [
  { value: '0', text: 'Never' },
  { value: '30', text: 'In 30 days' },
  { value: '90', text: 'In 90 days' },
  { value: '365', text: 'In a year' },
] as const;

type Days = (typeof lifetimes)[number]['value'];

const types = [
  {
    value: 'client-credentials',
    text: 'Credentials file',
    note: 'For programs: the file is exchanged for tokens that last for hours. Recommended.',
  },
  {
    value: 'basic-auth',
    text: 'Basic pair',
    note: 'A user name and a password in each call: for devices and tools that support nothing else.',
  },
] as const;

interface MakingProps {
  onClose(): void;
  onMade(made: NewCredential): void;
}

/** The form for a new credential. */
export function NewCredentialDialog({ integration, onClose, onMade }: MakingProps & { integration: string }) {
  const [type, setType] = useState<CredentialType>('client-credentials');
  const [label, setLabel] = useState('');
  const [days, setDays] = useState<Days>('0');
  const create = useRpcChange('console.credentials.create', credentialsRenewed, onMade);
  const expiry =
    days === '0' ? {} : { expiresAt: new Date(nowMs() + Number(days) * 86_400_000).toISOString() };
  return (
    <FormDialog
      title="New credential"
      action="Create credential"
      sending={create}
      shown={['label']}
      onSubmit={() => create.mutate({ integration, type, label: label.trim(), ...expiry })}
      onClose={onClose}
    >
      <ChoiceField<CredentialType> label="Type" value={type} onChange={setType} options={types} />
      <TextField
        label="Label"
        hint="Where it will be used, so that you know later which program a revocation affects."
        value={label}
        onChange={setLabel}
        error={fieldError(create.error, 'label')}
        maxLength={128}
        placeholder="gateway in hall 3"
      />
      <SelectField<Days> label="Expires" value={days} onChange={setDays} options={lifetimes} />
    </FormDialog>
  );
}

const overlaps = [
  { value: 'PT0S', text: 'Not at all' },
  { value: 'PT1H', text: 'One hour' },
  { value: 'PT24H', text: 'One day' },
  { value: 'PT168H', text: 'One week' },
] as const;

type Overlap = (typeof overlaps)[number]['value'];

/** The label of a credential, or else its ID. */
export function credentialName({ label, id }: Credential): string {
  return label || id;
}

/** Replaces a credential while the old one still works. */
export function RotateDialog({ credential, onClose, onMade }: MakingProps & { credential: Credential }) {
  const [overlap, setOverlap] = useState<Overlap>('PT24H');
  const rotate = useRpcChange('console.credentials.rotate', credentialsRenewed, onMade);
  return (
    <FormDialog
      title={`Rotate “${credentialName(credential)}”`}
      action="Rotate"
      sending={rotate}
      onSubmit={() => rotate.mutate({ id: credential.id, overlap })}
      onClose={onClose}
    >
      <p>
        Creates a new secret of the same type and label. The old one keeps working for the chosen time, so
        that programs can be switched over without an interruption.
      </p>
      <SelectField<Overlap>
        label="The old secret keeps working for"
        value={overlap}
        onChange={setOverlap}
        options={overlaps}
      />
    </FormDialog>
  );
}

/** Revokes a credential. */
export function RevokeDialog({ credential, onClose }: { credential: Credential; onClose(): void }) {
  const done = 'Credential revoked';
  const revoke = useDialogCall('console.credentials.revoke', credentialsRenewed, done, onClose);
  return (
    <ConfirmDialog
      title="Revoke credential"
      action="Revoke"
      sending={revoke}
      onSubmit={() => revoke.mutate({ id: credential.id })}
      onClose={onClose}
    >
      <p>
        Programs that use <b>{credentialName(credential)}</b> are refused within a second, including those
        that already have a token. To change a secret without an interruption, rotate it instead.
      </p>
      <p className="quiet">
        Last used: <Age at={credential.lastUsedAt} />
        {credential.lastUsedFrom && `, from ${credential.lastUsedFrom.address}`}
      </p>
    </ConfirmDialog>
  );
}

interface MadeDialogProps {
  made: NewCredential;
  integrationName: string;
  onClose(): void;
}

/** Shows a new secret, the only time that it is shown. */
export function MadeDialog({ made: { file, credential }, integrationName, onClose }: MadeDialogProps) {
  const [isSaved, setSaved] = useState(false);
  const name = fileName(`${integrationName} credentials`, 'json');
  const isBasic = credential.type === 'basic-auth';
  const { clientId, clientSecret } = file.credentials;
  const facts = isBasic
    ? { 'User name': file.integration, Password: clientSecret }
    : { 'Client ID': clientId, 'Client secret': clientSecret };
  const save = () => {
    download(name, `${JSON.stringify(file, null, 2)}\n`, 'application/json');
    setSaved(true);
  };
  return (
    <Dialog title="Credential created" onClose={onClose} isKept>
      <Notice mood="warn">
        The secret is shown only this once. Download the file, or copy what you need, before you close.
      </Notice>
      <Facts
        facts={Object.entries(facts).map(([title, text]) => [
          title,
          <Secret key={title} text={text} title={title} />,
        ])}
      />
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

function Secret({ text, title }: { text: string; title: string }) {
  return (
    <span className="secret">
      <code className="break">{text}</code>
      <CopyButton text={text} label={`Copy ${title.replace(/^[A-Z]/, (letter) => letter.toLowerCase())}`} />
    </span>
  );
}
