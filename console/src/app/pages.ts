/** The list of pages: one line each; the code of a page is loaded when it is first opened. */
import type { ComponentType } from 'react';
import type { IconName } from '../parts/icon.tsx';
import type { PageProps } from '../platform/router/place.ts';

/** A page of the console. */
export interface PageEntry {
  /** A pattern such as `/signals/:integration/:id`. */
  path: string;
  /** Its name in navigation, palette and shortcuts. */
  title: string;
  load(): Promise<{ default: ComponentType<PageProps> }>;
  /** The heading of the navigation under which the page is listed. */
  group: 'Data' | 'Connect' | 'Operate' | 'Develop' | undefined;
  icon: IconName | null;
  /** Pressing `g` and this key opens the page. */
  key: string | null;
  isForAdmins: boolean;
}

/** Every page, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  ...groupOf('Data', [
    ['/', 'Overview', 'gauge', 'o', () => import('../pages/overview/overview-page.tsx')],
    ['/explorer', 'Explorer', 'chart', 'e', () => import('../features/explorer/explorer-page.tsx')],
    ['/formulas', 'Formulas', 'formula', 'f', () => import('../features/formula/formulas-page.tsx')],
    ['/items', 'Items', 'box', 't', () => import('../pages/items/items-page.tsx')],
  ]),
  ...groupOf('Connect', [
    [
      '/integrations',
      'Integrations',
      'plug',
      'i',
      () => import('../pages/integrations/integrations-page.tsx'),
    ],
    ['/signals', 'Signals', 'wave', 's', () => import('../pages/signals/signals-page.tsx')],
    ['/publish', 'Publish', 'publish', 'p', () => import('../pages/publish/publish-page.tsx')],
    ['/rules', 'Publishing rules', 'scroll', 'r', () => import('../pages/publish/rules-page.tsx')],
  ]),
  ...groupOf('Operate', [
    ['/usage', 'Usage', 'meter', 'u', () => import('../pages/operate/usage-page.tsx')],
    ['/activity', 'Activity', 'clock', 'l', () => import('../pages/operate/activity-page.tsx')],
    ['/audit', 'Audit', 'scroll', 'a', () => import('../pages/operate/audit-page.tsx')],
    ['/health', 'Health', 'heart', 'h', () => import('../pages/operate/health-page.tsx')],
    ['/people', 'People', 'people', null, () => import('../pages/people/people-page.tsx'), true],
    ['/settings', 'Settings', 'cog', null, () => import('../pages/settings/settings-page.tsx')],
  ]),
  ...groupOf('Develop', [
    ['/console', 'API console', 'terminal', 'c', () => import('../features/rpc/console-page.tsx')],
  ]),
  ...groupOf(undefined, [
    ['/items/:id', 'Item', null, null, () => import('../pages/items/item-page.tsx')],
    [
      '/integrations/:id',
      'Integration',
      null,
      null,
      () => import('../pages/integrations/integration-page.tsx'),
    ],
    ['/signals/:integration/:id', 'Signal', null, null, () => import('../pages/signals/signal-page.tsx')],
    ['/rules/:id', 'Publishing rule', null, null, () => import('../pages/publish/rule-page.tsx')],
    ['/account', 'Account', 'person', null, () => import('../pages/people/account-page.tsx')],
    ['/welcome', 'Welcome', null, null, () => import('../pages/overview/welcome-page.tsx')],
  ]),
];

type Row = readonly [
  path: string,
  title: string,
  icon: IconName | null,
  key: string | null,
  load: PageEntry['load'],
  isForAdmins?: boolean,
];

function groupOf(group: PageEntry['group'], rows: readonly Row[]): PageEntry[] {
  return rows.map(([path, title, icon, key, load, isForAdmins = false]) => ({
    ...{ path, title, load, group, icon, key, isForAdmins },
  }));
}

/** The page to which a path belongs: the one with the longest path that begins it. */
export function currentPage(entries: readonly PageEntry[], path: string): PageEntry | undefined {
  const holds = ({ path: start }: PageEntry) =>
    start === '/' ? path === '/' : path === start || path.startsWith(`${start}/`);
  return entries.filter(holds).sort((a, b) => b.path.length - a.path.length)[0];
}
