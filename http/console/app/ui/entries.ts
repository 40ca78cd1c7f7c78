import { BASE, PAGES } from '../../pages.ts';
import type { common } from '../words/common.ts';
import type { IconName } from './icon.tsx';

type Words = ReturnType<typeof common>;

export type Named = keyof typeof PAGES & keyof Words['nav'];

export interface Entry {
  readonly page: Named;
  readonly icon: IconName;
  /** Pages reached from this page that are not in the menu. */
  readonly within?: readonly Named[];
}

export interface Group {
  readonly group: keyof Words['groups'];
  readonly icon: IconName;
  readonly pages: readonly Named[];
}

export const OF_OWNER: readonly (Entry | Group)[] = [
  { page: 'home', icon: 'home' },
  { page: 'inbox', icon: 'inbox' },
  { group: 'contacts', icon: 'people', pages: ['contacts', 'segments'] },
  { group: 'campaigns', icon: 'campaign', pages: ['campaigns', 'later'] },
  { group: 'automation', icon: 'automation', pages: ['autoReplies', 'ai', 'templates'] },
  { group: 'channels', icon: 'phone', pages: ['devices', 'stores'] },
  { group: 'developers', icon: 'code', pages: ['keys', 'webhooks'] },
  { page: 'analytics', icon: 'chart' },
  { page: 'settings', icon: 'settings', within: ['agents', 'billing', 'privacy', 'audit'] },
];

export const OF_AGENT: readonly Entry[] = [{ page: 'inbox', icon: 'inbox' }];

export const OF_OPERATOR: readonly Entry[] = [
  { page: 'operator', icon: 'home' },
  { page: 'operatorCluster', icon: 'nodes' },
  { page: 'operatorTenants', icon: 'business' },
  { page: 'operatorNetwork', icon: 'activity' },
  { page: 'operatorSender', icon: 'phone' },
  { page: 'operatorBilling', icon: 'bill' },
];

export const FOLDED_AT_FIRST: readonly string[] = ['developers'];

export const OF_BAR: readonly Entry[] = [
  { page: 'home', icon: 'home' },
  { page: 'inbox', icon: 'inbox' },
  { page: 'contacts', icon: 'people' },
  { page: 'campaigns', icon: 'campaign' },
];

export const isGroup = (one: Entry | Group): one is Group => 'group' in one;

export const hrefOf = (page: Named): string => BASE + PAGES[page].path;

export function currentOf(entries: readonly (Entry | Group)[], path: string): Named | null {
  const here = pagesIn(entries).findLast((page) => isAt(path, hrefOf(page)));
  const above = entries.find((one) => !isGroup(one) && here !== undefined && one.within?.includes(here));
  return above && !isGroup(above) ? above.page : (here ?? null);
}

const pagesIn = (entries: readonly (Entry | Group)[]): readonly Named[] => entries.flatMap(pagesOf);

export const pagesOf = (one: Entry | Group): readonly Named[] => (isGroup(one) ? one.pages : [one.page, ...(one.within ?? [])]);

/** The home page must match exactly, because its path is a prefix of all others. */
const isAt = (path: string, href: string): boolean => {
  const bare = href.replace(/\/$/, '');
  return path === bare || path === href || (bare !== BASE && path.startsWith(`${bare}/`));
};
