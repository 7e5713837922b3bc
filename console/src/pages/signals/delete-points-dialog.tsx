/** Deletes the points of a signal in a time range, after counting them. */
import { useMutation } from '@tanstack/react-query';
import type { Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { TextField } from '../../parts/field.tsx';
import { FormDialog, useDialogCall } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { parseCivil } from '../../platform/time/civil.ts';
import { useNow } from '../../platform/time/moment.tsx';
import { offsetOf, useZone } from '../../platform/time/zone.ts';
import { integrationOf } from './resource-cards.tsx';

const renewed = [
  'console.signals.status',
  'console.signals.sizes',
  'console.signals.spacing',
  'console.signals.trends',
  'service.dataFrame',
  'service.evaluate',
] as const;

/** The dialog. */
export function DeletePointsDialog({ signal, onClose }: { signal: Signal; onClose(): void }) {
  const zone = useZone();
  const [from, setFrom] = useState('');
  const [before, setBefore] = useState('');
  const params = paramsOf(signal, parseCivil(zone, from), parseCivil(zone, before));
  const count = useMutation({ mutationFn: () => call('admin.deleteData', { ...params, dryRun: true }) });
  const points = Object.values(count.data?.pointsBySignal ?? {}).reduce((a, b) => a + b, 0);
  const words = printNumberOf(points, 'point');
  const remove = useDialogCall('admin.deleteData', renewed, `${words} deleted`, onClose);
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    count.reset();
  };
  const isCounted = points > 0;
  return (
    <FormDialog
      title={`Delete points of “${signal.attributes.name}”`}
      action={isCounted ? `Delete ${words}` : 'Count points'}
      tone={isCounted ? 'danger primary' : 'primary'}
      sending={{
        isPending: count.isPending || remove.isPending,
        error: count.error ?? remove.error,
      }}
      isDisabled={`${from}${before}`.trim() === '' || !isTime(zone, from) || !isTime(zone, before)}
      onSubmit={() => (isCounted ? remove.mutate(params) : count.mutate())}
      onClose={onClose}
    >
      <div className="form-grid">
        <TimeField label="From" none="from the first" value={from} onChange={change(setFrom)} />
        <TimeField label="Before" none="to the last" value={before} onChange={change(setBefore)} />
      </div>
      {count.data && (
        <Notice mood={isCounted ? 'warn' : 'info'}>
          {isCounted
            ? `${words} would be deleted. This cannot be undone.`
            : 'There are no points in this time range.'}
        </Notice>
      )}
    </FormDialog>
  );
}

interface TimeFieldProps {
  label: string;
  none: string;
  value: string;
  onChange(text: string): void;
}

function TimeField({ label, none, value, onChange }: TimeFieldProps) {
  const zone = useZone();
  const now = useNow();
  return (
    <TextField
      label={label}
      hint={`In ${zone} ${offsetOf(zone, now)}; empty: ${none}`}
      value={value}
      onChange={onChange}
      error={isTime(zone, value) ? undefined : 'Must be a time such as 2026-11-20 or 2026-11-20 10:30.'}
      placeholder="2026-11-20 10:30"
    />
  );
}

function isTime(zone: string, text: string): boolean {
  return text.trim() === '' || parseCivil(zone, text) !== null;
}

function paramsOf(signal: Signal, fromMs: number | null, beforeMs: number | null) {
  const times = {
    ...(fromMs === null ? {} : { $gte: new Date(fromMs).toISOString() }),
    ...(beforeMs === null ? {} : { $lt: new Date(beforeMs).toISOString() }),
  };
  return {
    integration: integrationOf(signal),
    query: { filter: { id: signal.id } },
    data: { filter: { times } },
  };
}
