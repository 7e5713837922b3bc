/** The list of pages: one line each; the code of a page is loaded when somebody goes there. */
import type { ComponentType } from 'react';
import type { IconName } from './parts/icon.tsx';

/** What a page is given: the named parts of its path. */
export interface PageProps {
  params: Readonly<Record<string, string>>;
}

/** A page of the console. */
export interface PageEntry {
  /** A pattern such as `/signals/:integration/:id`. */
  path: string;
  /** Its name in navigation, palette and shortcuts. */
  title: string;
  load(): Promise<{ default: ComponentType<PageProps> }>;
  /** Stands in the navigation, under this heading. */
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
    load: () => import('./pages/overview/overview-page.tsx'),
    group: 'Data',
    icon: 'gauge',
    key: 'o',
  },
  {
    path: '/explorer',
    title: 'Explorer',
    load: () => import('./explorer/explorer-page.tsx'),
    group: 'Data',
    icon: 'chart',
    key: 'e',
  },
];
