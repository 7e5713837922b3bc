/** The recent errors of an integration: by kind, with the count, the path, and the trace ID for the log of the service. */
import type { IntegrationError, IntegrationFigures } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Failure } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { Age } from '../../platform/time/moment.tsx';
import { SilentNodes } from '../operate/silent-nodes.tsx';

/** The card; nothing if there were no errors. */
export function ErrorsCard({ integration: { id, errors } }: { integration: IntegrationFigures }) {
  const list = useRpc('console.integrations.errors', { id }, { isEnabled: errors > 0, refetchMs: 15_000 });
  if (errors === 0) return null;
  return (
    <Card
      title="Recent errors"
      note="Since the service was started, by kind; the rejected requests are not stored."
      actions={<Badge tone="bad">{printCount(list.data?.total ?? errors)}</Badge>}
      isFlush
    >
      <Failure of={list} />
      <SilentNodes names={list.data?.silentNodes} />
      <ul className="lines">
        {list.data?.errors.map((error) => (
          <ErrorRow key={`${error.trace} ${error.path}`} error={error} />
        ))}
      </ul>
    </Card>
  );
}

function ErrorRow({ error }: { error: IntegrationError }) {
  const { method, code, message, path, problem, count, lastAt, address, trace } = error;
  return (
    <li>
      <div className="stack-tight grow">
        <div className="line">
          <Badge tone="bad">{code}</Badge>
          <b className="grow break">{method ?? (code > 0 ? 'No call' : 'No such method')}</b>
          <span className="quiet figures">
            {count > 1 && `${printCount(count)} times, `}last <Age at={lastAt} />
          </span>
        </div>
        <p className="break">
          {path !== null && <code>{path}</code>} {problem ?? message}
        </p>
        <p className="quiet small line">
          From {address}, trace <code className="break">{trace}</code>
          <CopyButton text={trace} label={`Copy trace ${trace}`} />
        </p>
      </div>
    </li>
  );
}
