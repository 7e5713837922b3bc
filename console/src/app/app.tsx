/** The console: shows a page by the session and the place. */
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useMemo } from 'react';
import { EmptyState, ErrorNotice, Waiting } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { matchPath, type PageProps, usePlace } from '../platform/router/place.ts';
import { hasReached, subscribeToReach } from '../platform/rpc/reach.ts';
import { RpcError } from '../platform/rpc/rpc-error.ts';
import { SessionProvider, useIsAdmin, useSession } from '../platform/session/context.tsx';
import { Boundary } from './boundary.tsx';
import { Frame, useScrollReset } from './frame.tsx';
import { type PageEntry, pages } from './pages.ts';

const SetupPage = lazy(() => import('../pages/entry/setup-page.tsx'));
const SignInPage = lazy(() => import('../pages/entry/sign-in-page.tsx'));

/** Answers stay fresh for ten seconds. */
const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteEnded }),
  mutationCache: new MutationCache({ onError: noteEnded }),
  defaultOptions: {
    queries: {
      // The browser's own view of the network is not reliable on local networks.
      networkMode: 'always',
      staleTime: 10_000,
      // The client has already retried.
      retry: false,
      refetchOnWindowFocus: false,
    },
  },
});

/** Requests the session again when a call was refused; the sign-in page shows that the session has ended. */
function noteEnded(error: Error): void {
  if (error instanceof RpcError && error.isSignedOut)
    void queries.invalidateQueries({ queryKey: ['session'] });
}

/** All answers are requested again when the service is back. */
subscribeToReach(() => {
  if (hasReached()) void queries.invalidateQueries();
});

/** The console. */
export function App() {
  return (
    <QueryClientProvider client={queries}>
      <SessionProvider
        pending={<Waiting />}
        failed={(error, retry) => (
          <div className="page">
            <ErrorNotice error={error} retry={retry} />
          </div>
        )}
      >
        <Gate />
      </SessionProvider>
    </QueryClientProvider>
  );
}

/** The page of a signed-in person, or else set-up or sign-in. */
function Gate() {
  const { session } = useSession();
  if (session.status === 'signed-in')
    return (
      <Frame>
        <CurrentPage />
      </Frame>
    );
  return (
    <Suspense fallback={<Waiting />}>{session.status === 'setup' ? <SetupPage /> : <SignInPage />}</Suspense>
  );
}

/** A component whose code could not be loaded stays failed: another one is made for the next attempt. */
const components = new Map<PageEntry, ComponentType<PageProps>>();

function CurrentPage() {
  useScrollReset();
  const { path } = usePlace();
  return (
    <Boundary key={path} onRetry={() => components.clear()}>
      <Suspense fallback={<Waiting />}>
        <PageAt path={path} />
      </Suspense>
    </Boundary>
  );
}

function PageAt({ path }: { path: string }) {
  const isAdmin = useIsAdmin();
  const found = useMemo(() => findPage(path), [path]);
  if (!found || (found.page.isForAdmins && !isAdmin)) return <NoSuchPage />;
  const Content = componentOf(found.page);
  return <Content params={found.params} />;
}

function findPage(path: string): { page: PageEntry; params: Record<string, string> } | null {
  for (const page of pages) {
    const params = matchPath(page.path, path);
    if (params) return { page, params };
  }
  return null;
}

function componentOf(page: PageEntry): ComponentType<PageProps> {
  const known = components.get(page);
  if (known) return known;
  const component = lazy(page.load);
  components.set(page, component);
  return component;
}

function NoSuchPage() {
  return (
    <Page title="Not found">
      <EmptyState icon="search" title="There is no such page">
        <p>
          The address may be mistyped, or the page is for administrators. <a href="#/">Go to the overview</a>.
        </p>
      </EmptyState>
    </Page>
  );
}
