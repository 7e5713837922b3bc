/** The frame around every page: navigation, header, palette, sheet, and the shortcuts that work everywhere. */
import { type ReactNode, useEffect, useState } from 'react';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, type MenuEntry } from '../parts/menu.tsx';
import { Notice } from '../parts/notice.tsx';
import { notifyError, Toasts } from '../parts/toast.tsx';
import { href, navigate, usePlace } from '../platform/router/place.ts';
import { listenToKeys, useShortcut } from '../platform/router/shortcuts.ts';
import { useIsReached } from '../platform/rpc/reach.ts';
import { useIsAdmin, usePerson, useSession } from '../platform/session/context.tsx';
import {
  type Preferences,
  setPreferences,
  type Theme,
  usePreferences,
} from '../platform/theme/preferences.ts';
import { CommandPalette, pageCommand } from './command-palette.tsx';
import { Navigation } from './navigation.tsx';
import { pages } from './pages.ts';
import type { Command } from './palette-search.ts';
import { Keys, ShortcutSheet } from './shortcut-sheet.tsx';
import { ZonePicker } from './zone-picker.tsx';
import './frame.css';

/** The frame. */
export function Frame({ children }: { children: ReactNode }) {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [isNavigationOpen, setNavigationOpen] = useState(false);
  const { isNavigationNarrow } = usePreferences();
  const { session } = useSession();
  useEffect(listenToKeys, []);
  useShortcut('Mod+k', 'Command palette', 'Everywhere', () => setPaletteOpen(true));
  useShortcut('?', 'This sheet', 'Everywhere', () => setSheetOpen(true));
  useShortcut('/', 'Search on the page', 'Everywhere', focusSearch);
  const commands = useCommands(() => setSheetOpen(true));
  return (
    <div className={isNavigationNarrow ? 'frame narrow' : 'frame'}>
      <button type="button" className="skip-link" onClick={skipToMain}>
        Skip to content
      </button>
      <div className="instance-stripe" style={{ background: session.instance.color }} />
      <Navigation isOpen={isNavigationOpen} onClose={() => setNavigationOpen(false)} />
      {isNavigationOpen && <div className="navigation-veil" onPointerDown={() => setNavigationOpen(false)} />}
      <Header
        onPalette={() => setPaletteOpen(true)}
        onNavigation={() => setNavigationOpen(true)}
        onSheet={() => setSheetOpen(true)}
      />
      <main id="main" tabIndex={-1} inert={isNavigationOpen}>
        <LostNotice />
        {children}
      </main>
      {isPaletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} commands={commands} />}
      {isSheetOpen && <ShortcutSheet onClose={() => setSheetOpen(false)} />}
      <GoShortcuts />
      <Toasts />
    </div>
  );
}

/** Shown on every page while the service cannot be reached. */
function LostNotice() {
  if (useIsReached()) return null;
  return (
    <div className="frame-notice">
      <Notice mood="bad">
        <b>The service cannot be reached.</b> The data shown may be out of date. The console retries every few
        seconds.
      </Notice>
    </div>
  );
}

interface HeaderProps {
  onPalette(): void;
  onNavigation(): void;
  onSheet(): void;
}

function Header({ onPalette, onNavigation, onSheet }: HeaderProps) {
  return (
    <header className="header">
      <span className="header-menu">
        <IconButton label="Open navigation" icon="menu" onPress={onNavigation} />
      </span>
      <button type="button" className="palette-button" onClick={onPalette}>
        <Icon name="search" />
        <span className="grow cut">Search or jump to …</span>
        <Keys keys="Mod+k" />
      </button>
      <div className="header-tools">
        <ZonePicker />
        <ThemeMenu />
        <span className="header-help">
          <IconButton label="Keyboard shortcuts" icon="command" onPress={onSheet} />
        </span>
        <PersonMenu />
      </div>
    </header>
  );
}

const themes: readonly { theme: Theme; text: string; icon: 'screen' | 'sun' | 'moon' }[] = [
  { theme: 'system', text: 'System', icon: 'screen' },
  { theme: 'light', text: 'Light', icon: 'sun' },
  { theme: 'dark', text: 'Dark', icon: 'moon' },
];

function ThemeMenu() {
  const { theme, density } = usePreferences();
  const icon = themes.find((each) => each.theme === theme)?.icon ?? 'screen';
  const entries: (MenuEntry | null)[] = [
    ...themes.map((each) => ({
      text: each.text,
      icon: each.icon,
      isChecked: each.theme === theme,
      run: () => setPreferences({ theme: each.theme }),
    })),
    null,
    { text: 'Compact rows', isChecked: density === 'compact', run: () => toggleDensity(density) },
  ];
  return <Menu label="Appearance" icon={icon} entries={entries} />;
}

function toggleDensity(density: Preferences['density']): void {
  setPreferences({ density: density === 'compact' ? 'comfortable' : 'compact' });
}

function PersonMenu() {
  const person = usePerson();
  const { leave } = useSession();
  return (
    <Menu
      label={`${person.name}, ${person.role}`}
      icon="person"
      entries={[
        { text: `Account of ${person.name}`, icon: 'person', to: href('/account') },
        null,
        { text: 'Sign out', icon: 'out', run: () => void leave().catch(notifyError) },
      ]}
    />
  );
}

function useCommands(openSheet: () => void): Command[] {
  const isAdmin = useIsAdmin();
  const { density } = usePreferences();
  const { leave } = useSession();
  const places = pages
    .filter((page) => page.icon && !page.path.includes(':') && (isAdmin || !page.isForAdmins))
    .map((page) => pageCommand(page.path, page.title, page.icon!, page.key));
  const looks = themes.map(({ theme, text, icon }) => ({
    id: `theme-${theme}`,
    text: `Appearance: ${text.toLowerCase()}`,
    words: 'theme mode colours',
    icon,
    run: () => setPreferences({ theme }),
  }));
  return [
    ...places,
    ...looks,
    {
      id: 'density',
      text: density === 'compact' ? 'Appearance: comfortable rows' : 'Appearance: compact rows',
      words: 'density height dense',
      icon: 'menu',
      run: () => toggleDensity(density),
    },
    {
      id: 'shortcuts',
      text: 'Keyboard shortcuts',
      words: 'help',
      icon: 'command',
      keys: '?',
      run: openSheet,
    },
    {
      id: 'sign-out',
      text: 'Sign out',
      words: 'log out leave',
      icon: 'out',
      run: () => void leave().catch(notifyError),
    },
  ];
}

function GoShortcuts() {
  const isAdmin = useIsAdmin();
  return pages
    .filter((page) => page.key && (isAdmin || !page.isForAdmins))
    .map((page) => <GoShortcut key={page.path} path={page.path} title={page.title} letter={page.key!} />);
}

function GoShortcut({ path, title, letter }: { path: string; title: string; letter: string }) {
  useShortcut(`g ${letter}`, title, 'Go to', () => navigate(href(path)));
  return null;
}

/** Not a link, because its fragment would be read as a place in the console. */
function skipToMain(): void {
  document.querySelector<HTMLElement>('#main')?.focus();
}

function focusSearch(): void {
  document.querySelector<HTMLElement>('main [data-search]')?.focus();
}

/** Goes to the top when the page changes. */
export function useScrollReset(): void {
  const { path } = usePlace();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what triggers it
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [path]);
}
