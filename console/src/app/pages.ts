/** The list of pages: one line each; the code of a page is loaded when it is first opened. */
import type { ComponentType } from 'react';
import type { IconName } from '../parts/icon.tsx';
import type { PageProps } from '../platform/router/page-props.ts';

/** A page of the console. */
export interface PageEntry {
  /** A pattern such as `/signals/:integration/:id`. */
  path: string;
  /** Its name in navigation, palette and shortcuts. */
  title: string;
  load(): Promise<{ default: ComponentType<PageProps> }>;
  /** The heading of the navigation under which the page is listed. */
  group?: 'Data' | 'Connect' | 'Operate' | 'Develop';
  icon?: IconName;
  /** `g` and this key go there. */
  key?: string;
  /** Only administrators see it. */
  isForAdmins?: boolean;
}

/** Every page, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: 'Overview',
    load: () => import('../pages/overview/overview-page.tsx'),
    group: 'Data',
    icon: 'gauge',
    key: 'o',
  },
  {
    path: '/explorer',
    title: 'Explorer',
    load: () => import('../features/explorer/explorer-page.tsx'),
    group: 'Data',
    icon: 'chart',
    key: 'e',
  },
  {
    path: '/formulas',
    title: 'Formulas',
    load: () => import('../features/formula/formulas-page.tsx'),
    group: 'Data',
    icon: 'formula',
    key: 'f',
  },
  {
    path: '/items',
    title: 'Items',
    load: () => import('../pages/items/items-page.tsx'),
    group: 'Data',
    icon: 'box',
    key: 't',
  },
  {
    path: '/items/:id',
    title: 'Item',
    load: () => import('../pages/items/item-page.tsx'),
  },
  {
    path: '/integrations',
    title: 'Integrations',
    load: () => import('../pages/integrations/integrations-page.tsx'),
    group: 'Connect',
    icon: 'plug',
    key: 'i',
  },
  {
    path: '/integrations/:id',
    title: 'Integration',
    load: () => import('../pages/integrations/integration-page.tsx'),
  },
  {
    path: '/signals',
    title: 'Signals',
    load: () => import('../pages/signals/signals-page.tsx'),
    group: 'Connect',
    icon: 'wave',
    key: 's',
  },
  {
    path: '/signals/:integration/:id',
    title: 'Signal',
    load: () => import('../pages/signals/signal-page.tsx'),
  },
  {
    path: '/publish',
    title: 'Publish',
    load: () => import('../pages/publish/publish-page.tsx'),
    group: 'Connect',
    icon: 'publish',
    key: 'p',
  },
  {
    path: '/usage',
    title: 'Usage',
    load: () => import('../pages/operate/usage-page.tsx'),
    group: 'Operate',
    icon: 'meter',
    key: 'u',
  },
  {
    path: '/activity',
    title: 'Activity',
    load: () => import('../pages/operate/activity-page.tsx'),
    group: 'Operate',
    icon: 'clock',
    key: 'l',
  },
  {
    path: '/audit',
    title: 'Audit',
    load: () => import('../pages/operate/audit-page.tsx'),
    group: 'Operate',
    icon: 'scroll',
    key: 'a',
  },
  {
    path: '/health',
    title: 'Health',
    load: () => import('../pages/operate/health-page.tsx'),
    group: 'Operate',
    icon: 'heart',
    key: 'h',
  },
  {
    path: '/people',
    title: 'People',
    load: () => import('../pages/people/people-page.tsx'),
    group: 'Operate',
    icon: 'people',
    isForAdmins: true,
  },
  {
    path: '/settings',
    title: 'Settings',
    load: () => import('../pages/settings/settings-page.tsx'),
    group: 'Operate',
    icon: 'cog',
  },
  {
    path: '/account',
    title: 'Account',
    load: () => import('../pages/people/account-page.tsx'),
    icon: 'person',
  },
  {
    path: '/welcome',
    title: 'Welcome',
    load: () => import('../pages/overview/welcome-page.tsx'),
  },
  {
    path: '/console',
    title: 'API console',
    load: () => import('../features/rpc/console-page.tsx'),
    group: 'Develop',
    icon: 'terminal',
    key: 'c',
  },
];
