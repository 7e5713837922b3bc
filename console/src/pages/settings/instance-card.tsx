/** The name of the instance, its colour, and its time zone. */
import { useState } from 'react';
import { boundTo } from '../../parts/bound.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { PlainForm } from '../../parts/form.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Card } from '../../parts/page.tsx';
import { notify } from '../../parts/toast.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { useIsAdmin, useSession } from '../../platform/session/context.tsx';
import type { Session } from '../../platform/session/session.ts';
import { ColorField } from './color-field.tsx';
import { ZoneField } from './zone-field.tsx';
import './instance-card.css';

type Choice = Pick<Session['instance'], 'name' | 'color' | 'timeZone'>;

/** The card; a viewer sees it and can change nothing. */
export function InstanceCard() {
  const isAdmin = useIsAdmin();
  const { session, refresh } = useSession();
  const { name, color, timeZone } = session.instance;
  const [choice, setChoice] = useState<Choice>({ name, color, timeZone });
  const update = useRpcChange('console.instance.update', [], () => {
    notify('Instance changed');
    refresh();
  });
  const of = boundTo(choice, (part) => setChoice({ ...choice, ...part }));
  const changed = changesOf({ name, color, timeZone }, { ...choice, name: choice.name.trim() });
  const isSame = Object.keys(changed).length === 0;
  return (
    <Card
      title="Instance"
      note="Shown in the header and on the sign-in page, to distinguish it from other instances."
    >
      <PlainForm className="form settings-form" onSubmit={() => update.mutate(changed)}>
        <TextField
          label="Name of the instance"
          {...of('name')}
          error={fieldError(update.error, 'name')}
          isDisabled={!isAdmin}
          maxLength={64}
        />
        <ColorField {...of('color')} isDisabled={!isAdmin} />
        <ZoneField {...of('timeZone')} error={fieldError(update.error, 'timeZone')} isDisabled={!isAdmin} />
        {update.error && <ErrorNotice error={update.error} shown={['name', 'timeZone']} />}
        {isAdmin && (
          <div className="form-actions">
            <Button type="submit" tone="primary" isPending={update.isPending} isDisabled={isSame}>
              Save
            </Button>
          </div>
        )}
      </PlainForm>
    </Card>
  );
}

function changesOf(before: Choice, after: Choice): Partial<Choice> {
  const names = ['name', 'color', 'timeZone'] as const;
  return Object.fromEntries(
    names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]),
  );
}
