/** Deletes the points of a signal in a time range, after counting them. */
import { useMutation } from '@tanstack/react-query';
import type { Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { tell } from '../../parts/toast.tsx';
import { call, useRpcChange } from '../../platform/rpc/rpc.ts';
import { parseCivil } from '../../platform/time/civil.ts';
import { useNow } from '../../platform/time/moment.tsx';
import { offsetOf, useZone } from '../../platform/time/zone.ts';

/** The dialog. */
export function DeletePointsDialog({ signal, onClose }: { signal: Signal; onClose(): void }) {
  const zone = useZone();
  const now = useNow();
  const [from, setFrom] = useState('');
  const [before, setBefore] = useState('');
  const params = paramsOf(signal, parseCivil(zone, from), parseCivil(zone, before));
  const problem = (text: string) =>
    text.trim() !== '' && parseCivil(zone, text) === null
      ? 'Such as 2026-11-20 or 2026-11-20 10:30'
      : undefined;
  const count = useMutation({
    mutationFn: () => call('admin.deleteData', { ...params, dryRun: true }),
  });
  const remove = useRpcChange('admin.deleteData', [
    'console.signals.status',
    'console.signals.sizes',
    'console.signals.spacing',
    'console.signals.trends',
    'service.dataFrame',
    'service.evaluate',
  ]);
  const points = Object.values(count.data?.pointsBySignal ?? {}).reduce((a, b) => a + b, 0);
  const isComplete = (from.trim() !== '' || before.trim() !== '') && !problem(from) && !problem(before);
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    count.reset();
  };
  const confirm = () =>
    remove.mutate(params, {
      onSuccess: () => {
        tell(`${printNumberOf(points, 'point')} deleted`);
        onClose();
      },
    });
  const hint = `In ${zone} ${offsetOf(zone, now)}`;
  return (
    <Dialog title={`Delete points of “${signal.attributes.name}”`} isOpen onClose={onClose}>
      <div className="form-grid">
        <TextField
          label="From"
          hint={`${hint}; empty: from the first`}
          value={from}
          onChange={change(setFrom)}
          error={problem(from)}
          placeholder="2026-11-20 10:30"
        />
        <TextField
          label="Before"
          hint={`${hint}; empty: to the last`}
          value={before}
          onChange={change(setBefore)}
          error={problem(before)}
          placeholder="2026-11-20 11:00"
        />
      </div>
      {count.data && (
        <Notice mood={points > 0 ? 'warn' : 'info'}>
          {points > 0
            ? `${printNumberOf(points, 'point')} would be deleted. This cannot be undone.`
            : 'There are no points in this stretch.'}
        </Notice>
      )}
      {(count.error ?? remove.error) && <ErrorNotice error={count.error ?? remove.error} />}
      <div className="form-actions">
        <Button onPress={onClose}>Cancel</Button>
        {points > 0 ? (
          <Button tone="danger primary" isPending={remove.isPending} onPress={confirm}>
            Delete {printNumberOf(points, 'point')}
          </Button>
        ) : (
          <Button
            tone="primary"
            isDisabled={!isComplete}
            isPending={count.isPending}
            onPress={() => count.mutate()}
          >
            Count points
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function paramsOf({ id, relationships }: Signal, fromMs: number | null, beforeMs: number | null) {
  const times = {
    ...(fromMs === null ? {} : { $gte: new Date(fromMs).toISOString() }),
    ...(beforeMs === null ? {} : { $lt: new Date(beforeMs).toISOString() }),
  };
  const integration = relationships.integration.data?.id ?? '';
  return { integration, query: { filter: { id } }, data: { filter: { times } } };
}
