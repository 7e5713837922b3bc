/** The progress of a new integration up to its first data. */
import type { IntegrationFigures } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { StepList } from '../../parts/step-list.tsx';
import { statesOf } from '../../parts/step-states.ts';
import { href } from '../../platform/router/place.ts';
import './first-data-card.css';

/** The card. */
export function FirstDataCard({ integration }: { integration: IntegrationFigures }) {
  const { id, credentials, lastSeenAt, signals, points7d } = integration;
  const states = statesOf([credentials > 0, lastSeenAt !== null, signals > 0, points7d > 0]);
  const texts = [
    'A credential exists',
    'A program has used it; a connection test does not count',
    signals > 0 ? `${printNumberOf(signals, 'signal')} saved` : 'A signal is saved',
    points7d > 0 ? `${printNumberOf(points7d, 'point')} stored` : 'A point is stored',
  ];
  const isDone = states.every((state) => state === 'done');
  return (
    <Card
      title={isDone ? 'Data arrives' : 'Waiting for first data …'}
      actions={isDone ? <Badge tone="good">live</Badge> : <span className="pulse" aria-hidden="true" />}
    >
      <StepList steps={states.map((state, i) => ({ id: `${i}`, state, title: texts[i] }))} />
      {isDone && (
        <div className="line">
          <LinkButton to={href('/signals', { integration: id })} icon="wave" tone="primary">
            See its signals
          </LinkButton>
          <LinkButton to={href('/publish', { integration: id })} icon="publish">
            Publish them
          </LinkButton>
        </div>
      )}
    </Card>
  );
}
