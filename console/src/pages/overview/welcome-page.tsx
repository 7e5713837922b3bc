/** The end of the set-up: what is ready, and where to go. */
import { LinkButton } from '../../parts/button.tsx';
import { Waiting } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { href } from '../../router/place.ts';
import { useSession } from '../../session/context.tsx';
import { useRpc } from '../../session/rpc.ts';
import type { IntegrationView } from '../../session/views.ts';
import { SnippetCard } from '../integrations/snippet-card.tsx';
import '../integrations/integrations.css';

/** The page. */
export default function WelcomePage() {
  const { instance } = useSession().session;
  const list = useRpc<{ integrations: IntegrationView[] }>('console.integrations.list');
  const first = list.data?.integrations[0];
  return (
    <Page title={`${instance.name} is ready`} lead="You are signed in as its first administrator.">
      {list.isPending && <Waiting />}
      {first && (
        <Card title="A demo plant is in place">
          <p>
            “{first.name}” has {printNumberOf(first.signals, 'signal')}, {first.items} of them published as
            items.
          </p>
          <div className="line">
            <LinkButton to={href('/explorer')} icon="chart" tone="primary">
              Look at its data
            </LinkButton>
            <LinkButton to={href('/signals', { integration: first.id })} icon="wave">
              See its signals
            </LinkButton>
          </div>
        </Card>
      )}
      <Card title="Connect a program">
        <p className="quiet">
          Create an integration for each program or gateway. Its page makes credentials, fills in snippets for
          curl, Python, Telegraf, Node-RED and mosquitto, and waits with you for the first data.
        </p>
        <div className="line">
          <LinkButton to={href('/integrations')} icon="plug" tone={first ? 'normal' : 'primary'}>
            Create an integration
          </LinkButton>
          <LinkButton to={href('/')} tone="plain">
            To the overview
          </LinkButton>
        </div>
      </Card>
      {list.data && (
        <SnippetCard integration={first?.id ?? 'YOUR_INTEGRATION'} file={null} credentials={[]} />
      )}
    </Page>
  );
}
