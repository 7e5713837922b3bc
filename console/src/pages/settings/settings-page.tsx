/** Settings of the instance: name and colour, address, retention. */
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
          They apply to everyone who uses this instance. The configuration of the program is under{' '}
          <a href={href('/health')}>Health</a>.
        </>
      }
    >
      {!isAdmin && <Notice>Only administrators can change settings.</Notice>}
      <InstanceCard />
      <Card title="Address">
        <AddressNotice />
      </Card>
      <RetentionCard />
    </Page>
  );
}
