/** Contents of the cells of signals and items. */
import type { PublishState, SignalStatus } from '@tidemark/client/wire';
import { Badge, type BadgeTone, dash, Tag } from '../../parts/badge.tsx';
import { printValue } from '../../parts/number.ts';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { printDuration } from '../../platform/time/age.ts';
import { parseMoment, Time, useNow } from '../../platform/time/moment.tsx';

/** A number with its unit, or the name of a state. */
export function Value({ value, attributes }: { value: number; attributes: Attributes }) {
  const state = attributes.valueType === 'enum' ? attributes.enumValues[String(value)] : undefined;
  if (state !== undefined) return <span title={`${value}`}>{state}</span>;
  return (
    <span className="figures" title={`${value}${attributes.engUnit && ` ${attributes.engUnit}`}`}>
      {printValue(value)}
      {attributes.engUnit && <span className="quiet"> {attributes.engUnit}</span>}
    </span>
  );
}

interface LastValueProps {
  status: SignalStatus | null | undefined;
  attributes: Attributes;
}

/** The newest value. */
export function LastValue({ status, attributes }: LastValueProps) {
  if (status === undefined) return <span className="table-blank" />;
  if (status === null) return <span className="quiet">no points</span>;
  return <Value value={status.lastValue} attributes={attributes} />;
}

/** The age of the newest value. */
export function LastAge({ status }: { status: SignalStatus | null | undefined }) {
  const now = useNow();
  const ms = parseMoment(status?.lastTime);
  return ms === null ? dash : <Time ms={ms}>{printDuration(now - ms)}</Time>;
}

const states: Readonly<Record<PublishState['state'], { text: string; tone: BadgeTone }>> = {
  unpublished: { text: 'unpublished', tone: 'quiet' },
  'in-sync': { text: 'in sync', tone: 'good' },
  'signal-changed': { text: 'signal changed', tone: 'warn' },
  'item-edited': { text: 'item edited', tone: 'plum' },
};

/** The state of a signal compared with its item. */
export function PublishBadge({ state }: { state: PublishState | undefined }) {
  if (!state) return <span className="table-blank" />;
  const { text, tone } = states[state.state];
  return <Badge tone={tone}>{text}</Badge>;
}

/** The first labels. */
export function Labels({ labels, countMax = 3 }: { labels: Attributes['labels']; countMax?: number }) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return dash;
  return (
    <span className="tag-line">
      {entries.slice(0, countMax).map(([name, values]) => (
        <Tag key={name} name={name} value={values.join(', ')} />
      ))}
      {entries.length > countMax && <span className="quiet small">+{entries.length - countMax}</span>}
    </span>
  );
}

/** `numeric` or the number of states. */
export function TypeText({ attributes }: { attributes: Attributes }) {
  if (attributes.valueType === 'numeric') return <>numeric</>;
  const count = Object.keys(attributes.enumValues).length;
  return <>{count === 0 ? 'states' : `${count} states`}</>;
}
