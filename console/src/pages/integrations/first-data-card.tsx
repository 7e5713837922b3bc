/** Waits with the person for the first data of an integration, and says how far it has come. */

import type { IntegrationFigures } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';

/** The card; it follows what the list of integrations says. */
export function FirstDataCard({ integration }: { integration: IntegrationFigures }) {
  const { credentials, lastSeenAt, signals, points7d } = integration;
  const steps = [
    { text: 'A credential exists', isDone: credentials > 0 },
    { text: 'A program has used it; a connection test does not count', isDone: lastSeenAt !== null },
    {
      text: signals > 0 ? `${printNumberOf(signals, 'signal')} saved` : 'A signal is saved',
      isDone: signals > 0,
    },
    {
      text: points7d > 0 ? `${printNumberOf(points7d, 'point')} stored` : 'A point is stored',
      isDone: points7d > 0,
    },
  ];
  const names = ['credential', 'sign-in', 'signal', 'point'];
  const next = steps.findIndex(({ isDone }) => !isDone);
  const isDone = next < 0;
  return (
    <Card
      title={isDone ? 'Data arrives' : 'Waiting for first data …'}
      actions={isDone ? <Badge tone="good">live</Badge> : <span className="pulse" aria-hidden="true" />}
    >
      <ol className="checks" aria-live="polite">
        {steps.map(({ text, isDone }, i) => (
          <li key={names[i]} className={isDone ? 'done' : i === next ? 'next' : ''}>
            <span className="check-mark">{isDone && <Icon name="check" size={12} />}</span>
            <span>
              {text}
              <span className="hidden-text">{isDone ? ': done' : ': not yet'}</span>
            </span>
          </li>
        ))}
      </ol>
      {isDone && (
        <div className="line">
          <LinkButton to={href('/signals', { integration: integration.id })} icon="wave" tone="primary">
            See its signals
          </LinkButton>
          <LinkButton to={href('/publish', { integration: integration.id })} icon="publish">
            Publish them
          </LinkButton>
        </div>
      )}
    </Card>
  );
}
