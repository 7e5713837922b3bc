/** The navigation: the instance, then the pages by group. */
import { useEffect, useEffectEvent, useRef } from 'react';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { InstanceMark } from '../parts/instance-mark.tsx';
import { href, usePlace } from '../platform/router/place.ts';
import { baseUrl } from '../platform/rpc/base.ts';
import { useIsAdmin, useSession } from '../platform/session/context.tsx';
import { setPreferences, usePreferences } from '../platform/theme/preferences.ts';
import { currentPage, type PageEntry, pages } from './pages.ts';
import './navigation.css';

const groups = ['Data', 'Connect', 'Operate', 'Develop'] as const;

/** The column on the left; on narrow screens it covers the page while it is open. */
export function Navigation({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { session } = useSession();
  const { isNavigationNarrow } = usePreferences();
  const isAdmin = useIsAdmin();
  const { path } = usePlace();
  const shown = pages.filter((page) => page.group && (isAdmin || !page.isForAdmins));
  const current = currentPage(shown, path);
  const frame = useDrawer(isOpen, onClose);
  return (
    <div ref={frame} className={isOpen ? 'navigation open' : 'navigation'}>
      <section className="navigation-head" aria-label="Instance">
        <InstanceBadge />
        <span className="navigation-close">
          <IconButton label="Close navigation" icon="close" onPress={onClose} />
        </span>
      </section>
      <nav aria-label="Pages">
        {groups.map((group) => (
          <NavigationGroup
            key={group}
            title={group}
            entries={shown.filter((page) => page.group === group)}
            current={current}
            onChoose={onClose}
          />
        ))}
      </nav>
      <div className="navigation-foot">
        <a
          className="navigation-manual"
          href={`${baseUrl}docs/`}
          target="_blank"
          rel="noreferrer"
          title="Manual"
        >
          <Icon name="book" />
          <span className="small navigation-text">Manual</span>
        </a>
        <span className="quiet small navigation-text">{session.instance.version}</span>
        <span className="navigation-narrow">
          <IconButton
            label={isNavigationNarrow ? 'Widen navigation' : 'Narrow navigation'}
            icon={isNavigationNarrow ? 'right' : 'left'}
            isTiny
            onPress={() => setPreferences({ isNavigationNarrow: !isNavigationNarrow })}
          />
        </span>
      </div>
    </div>
  );
}

/** While it covers the page, it has the focus and Escape closes it; then the focus returns to the previous element. */
function useDrawer(isOpen: boolean, onClose: () => void) {
  const frame = useRef<HTMLDivElement>(null);
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && close();
    frame.current?.querySelector<HTMLElement>('button')?.focus();
    // Before the tooltip of the focused button handles the key.
    addEventListener('keydown', onKey, true);
    return () => {
      removeEventListener('keydown', onKey, true);
      if (before instanceof HTMLElement && frame.current?.contains(document.activeElement)) before.focus();
    };
  }, [isOpen]);
  return frame;
}

/** The mark of the instance in its colour, so that test and production can be distinguished. */
function InstanceBadge() {
  const { instance } = useSession().session;
  return (
    <a className="instance" href="#/" title={instance.name}>
      <InstanceMark color={instance.color} name={instance.name} />
      <span className="navigation-text cut">{instance.name}</span>
    </a>
  );
}

interface NavigationGroupProps {
  title: string;
  entries: readonly PageEntry[];
  current: PageEntry | undefined;
  onChoose(): void;
}

function NavigationGroup({ title, entries, current, onChoose }: NavigationGroupProps) {
  if (entries.length === 0) return null;
  return (
    <div className="navigation-group">
      <h2 className="navigation-text">{title}</h2>
      <ul>
        {entries.map((page) => (
          <li key={page.path}>
            <a
              href={href(page.path)}
              className="navigation-link"
              title={page.title}
              aria-current={page === current ? 'page' : undefined}
              onClick={onChoose}
            >
              <Icon name={page.icon ?? 'info'} />
              <span className="navigation-text">{page.title}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
