/** What is decided for the whole instance: its name and looks, its address, and how long points are kept. */
import { Notice } from '../../parts/notice.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { AddressNotice } from './address-notice.tsx';
import { InstanceCard } from './instance-card.tsx';
import { RetentionCard } from './retention-card.tsx';

/** The page. */
export default function SettingsPage() {
  const isAdmin = useIsAdmin();
  return (
    <Page
      title="Settings"
      lead={
        <>
          For everybody who uses this instance. What the program was started with stands under{' '}
          <a href={href('/health')}>Health</a>.
        </>
      }
    >
      {!isAdmin && <Notice>You may look; an administrator changes these.</Notice>}
      <InstanceCard />
      <Card title="Address">
        <AddressNotice />
      </Card>
      <RetentionCard />
    </Page>
  );
}
