/** The points of a signal: number, size and spacing, compared with what it declares. */
import type { Signal, SignalSize, SignalSpacing } from '@tidemark/client/wire';
import { useEdit } from '../../features/edit/use-edit.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Answer, Notice } from '../../parts/notice.tsx';
import { printBytes, printCount, printNumberOf } from '../../parts/number.ts';
import { Card, type Fact, Facts } from '../../parts/page.tsx';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Moment, parseMoment } from '../../platform/time/moment.tsx';
import { diagnose, printSpan } from './diagnosis.ts';

const refetchMs = 15_000;

/** The card. */
export function PointsCard({ signal, onDelete }: { signal: Signal; onDelete(): void }) {
  const isAdmin = useIsAdmin();
  const size = useSignalSize(signal.id);
  const spacing = useRpc('console.signals.spacing', { id: signal.id }, { refetchMs });
  const remove = isAdmin && (
    <Button icon="trash" tone="danger" isDisabled={size?.points === 0} onPress={onDelete}>
      Delete points …
    </Button>
  );
  return (
    <Card title="Points" actions={remove}>
      <Answer of={spacing}>
        {(found) => (
          <>
            <Verdict signal={signal} spacing={found} />
            <Facts facts={[...sizeFacts(size), ...spacingFacts(found)]} />
          </>
        )}
      </Answer>
    </Card>
  );
}

/** The number of points of a signal and their size; undefined until the service has answered. */
export function useSignalSize(id: string): SignalSize | undefined {
  const answer = useRpc('console.signals.sizes', { ids: [id] }, { refetchMs });
  return answer.data?.byId[id];
}

function sizeFacts(size: SignalSize | undefined): readonly Fact[] {
  if (!size) return [];
  const { points, bytes } = size;
  const each = points === 0 ? '' : `, ${(bytes / points).toPrecision(2)} bytes each`;
  return [
    ['Points', printCount(points)],
    ['On disk', `${printBytes(bytes)}${each}`],
  ];
}

function spacingFacts(spacing: SignalSpacing): readonly Fact[] {
  const { points, from, to, median, least, most, gap, gapCount, gaps } = spacing;
  if (points < 2) return [];
  return [
    [
      'Examined',
      <span key="looked">
        the newest {printNumberOf(points, 'point')}, <Moment at={from} /> to <Moment at={to} />
      </span>,
    ],
    [
      'Between points',
      least === most
        ? printSpan(median)
        : `median ${printSpan(median)}, ${printSpan(least)} to ${printSpan(most)}`,
    ],
    ['Gaps', <GapList key="gaps" gap={gap} count={gapCount} gaps={gaps} />],
  ];
}

function GapList({ gap, count, gaps }: { gap: string | null; count: number; gaps: SignalSpacing['gaps'] }) {
  if (count === 0) return <>none longer than {printSpan(gap)}</>;
  return (
    <>
      <p>
        {printCount(count)} longer than {printSpan(gap)}
        {count > gaps.length && `; the newest ${gaps.length}`}:
      </p>
      <ul className="stack-tight">
        {gaps.map(({ from, to }) => (
          <li key={from} className="line">
            <Moment at={from} /> <Badge tone="warn">{spanBetween(from, to)}</Badge>
          </li>
        ))}
      </ul>
    </>
  );
}

function spanBetween(from: string, to: string): string {
  return printSpan(`PT${((parseMoment(to) ?? 0) - (parseMoment(from) ?? 0)) / 1000}S`);
}

/** The declared and the observed interval, with a button that corrects the declared one. */
function Verdict({ signal, spacing }: { signal: Signal; spacing: SignalSpacing }) {
  const isAdmin = useIsAdmin();
  const integration = signal.relationships.integration.data?.id ?? '';
  const save = useEdit({ kind: 'signals', integration });
  const { mood, text, interval } = diagnose(signal.attributes, spacing);
  const correct = isAdmin && interval !== null && (
    <Button
      isTiny
      isPending={save.isPending}
      onPress={() =>
        save.mutate({
          ids: [signal.id],
          change: { sampleInterval: interval },
          done: `Sample interval set to ${interval}`,
        })
      }
    >
      Set to {interval}
    </Button>
  );
  return (
    <Notice mood={mood} action={correct || undefined}>
      {text}
    </Notice>
  );
}
