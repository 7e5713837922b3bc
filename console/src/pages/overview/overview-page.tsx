/** The overview: how the service is and what flows through it. */
import { ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { useRpc } from '../../session/rpc.ts';

/** The first page. */
export default function OverviewPage() {
  const overview = useRpc('console.overview', {}, { refetchMs: 10_000 });
  return (
    <Page title="Overview">
      {overview.error ? (
        <ErrorNotice error={overview.error} retry={() => void overview.refetch()} />
      ) : overview.data ? (
        <pre>{JSON.stringify(overview.data, null, 2)}</pre>
      ) : (
        <Waiting />
      )}
    </Page>
  );
}
