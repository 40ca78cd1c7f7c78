/** `all` includes people who are not signed in; `operator` means people with the operator's secret. */
export type Audience = 'all' | 'signed-in' | 'owner' | 'operator';

interface PageFacts {
  readonly path: string;
  readonly for: Audience;
  /** True if the page exists only when `CONSOLE_DEV` is on. */
  readonly development?: true;
}

export const PAGES = {
  signIn: { path: '/sign-in', for: 'all' },
  signUp: { path: '/sign-up', for: 'all' },
  home: { path: '/', for: 'owner' },
  devices: { path: '/devices', for: 'owner' },
  device: { path: '/devices/:sessionId', for: 'owner' },
  inbox: { path: '/inbox', for: 'signed-in' },
  contacts: { path: '/contacts', for: 'owner' },
  contactsImport: { path: '/contacts/import', for: 'owner' },
  contact: { path: '/contacts/:contactId', for: 'owner' },
  segments: { path: '/segments', for: 'owner' },
  campaigns: { path: '/campaigns', for: 'owner' },
  newCampaign: { path: '/campaigns/new', for: 'owner' },
  campaign: { path: '/campaigns/:id', for: 'owner' },
  later: { path: '/later', for: 'owner' },
  webhooks: { path: '/webhooks', for: 'owner' },
  chat: { path: '/inbox/:sessionId/:chatId', for: 'signed-in' },
  templates: { path: '/templates', for: 'owner' },
  agents: { path: '/agents', for: 'owner' },
  keys: { path: '/keys', for: 'owner' },
  analytics: { path: '/analytics', for: 'owner' },
  audit: { path: '/audit', for: 'owner' },
  privacy: { path: '/privacy', for: 'owner' },
  settings: { path: '/settings', for: 'owner' },
  settingsSection: { path: '/settings/:section', for: 'owner' },
  stores: { path: '/stores', for: 'owner' },
  billing: { path: '/billing', for: 'owner' },
  ai: { path: '/ai', for: 'owner' },
  autoReplies: { path: '/auto-replies', for: 'owner' },
  operator: { path: '/operator', for: 'operator' },
  operatorCluster: { path: '/operator/cluster', for: 'operator' },
  operatorTenants: { path: '/operator/tenants', for: 'operator' },
  operatorNetwork: { path: '/operator/network', for: 'operator' },
  operatorSender: { path: '/operator/sender', for: 'operator' },
  operatorBilling: { path: '/operator/billing', for: 'operator' },
  design: { path: '/design', for: 'all', development: true },
} as const satisfies Readonly<Record<string, PageFacts>>;

export type PageName = keyof typeof PAGES;

export const BASE = '/console';

export function isPage(path: string, isDevelopment: boolean): boolean {
  const asked = partsOf(path);
  return Object.values<PageFacts>(PAGES).some((page) => (isDevelopment || !page.development) && matches(partsOf(page.path), asked));
}

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '');

const matches = (pattern: readonly string[], asked: readonly string[]): boolean =>
  pattern.length === asked.length && pattern.every((part, nth) => part.startsWith(':') || part === asked[nth]);
