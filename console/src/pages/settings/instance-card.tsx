/** What the instance is called, its colour, and its time zone. */
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Card } from '../../parts/page.tsx';
import { tell } from '../../parts/toast.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { useIsAdmin, useSession } from '../../platform/session/context.tsx';
import { zoneNames } from '../../platform/time/zone.ts';
import { ColorField } from './color-field.tsx';

interface Choice {
  name: string;
  color: string;
  timeZone: string;
}

/** The card; a viewer sees it and can change nothing. */
export function InstanceCard() {
  const isAdmin = useIsAdmin();
  const { session, refresh } = useSession();
  const { name, color, timeZone } = session.instance;
  const [choice, setChoice] = useState<Choice>({ name, color, timeZone });
  const update = useRpcChange('console.instance.update', []);
  const change = (part: Partial<Choice>) => setChoice({ ...choice, ...part });
  const changed = changesOf({ name, color, timeZone }, { ...choice, name: choice.name.trim() });
  const isSame = Object.keys(changed).length === 0;
  const submit = () =>
    update.mutate(changed, {
      onSuccess: () => {
        tell('Instance changed');
        refresh();
      },
    });
  return (
    <Card title="Instance" note="How people tell it from others.">
      <Form
        className="form settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label="Name of the instance"
          value={choice.name}
          onChange={(next) => change({ name: next })}
          error={fieldError(update.error, 'name')}
          isDisabled={!isAdmin}
          maxLength={64}
        />
        <ColorField value={choice.color} onChange={(next) => change({ color: next })} isDisabled={!isAdmin} />
        <SelectField
          label="Time zone"
          hint="For days and weeks where nobody has chosen another; data is kept in UTC."
          value={choice.timeZone}
          onChange={(next) => change({ timeZone: next })}
          options={[...new Set([choice.timeZone, ...zoneNames()])].map((value) => ({ value, text: value }))}
          error={fieldError(update.error, 'timeZone')}
          isDisabled={!isAdmin}
        />
        {update.error && <ErrorNotice error={update.error} shown={['name', 'timeZone']} />}
        {isAdmin && (
          <div className="form-actions">
            <Button type="submit" tone="primary" isPending={update.isPending} isDisabled={isSame}>
              Save
            </Button>
          </div>
        )}
      </Form>
    </Card>
  );
}

function changesOf(before: Choice, after: Choice): Partial<Choice> {
  const names = ['name', 'color', 'timeZone'] as const;
  return Object.fromEntries(
    names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]),
  );
}
