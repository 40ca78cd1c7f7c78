import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { BASE, PAGES } from '../../pages.ts';
import { person } from '../state/session.ts';
import { common } from '../words/common.ts';
import { Icon, type IconName } from './icon.tsx';

type Named = keyof typeof PAGES & keyof ReturnType<typeof common>['nav'];

interface Entry {
  readonly page: Named;
  readonly icon: IconName;
}

const OF_OWNER: readonly Entry[] = [
  { page: 'home', icon: 'home' },
  { page: 'devices', icon: 'phone' },
  { page: 'inbox', icon: 'chat' },
  { page: 'contacts', icon: 'people' },
  { page: 'segments', icon: 'funnel' },
  { page: 'campaigns', icon: 'send' },
  { page: 'later', icon: 'clock' },
  { page: 'webhooks', icon: 'hook' },
  { page: 'templates', icon: 'note' },
  { page: 'stores', icon: 'shop' },
  { page: 'billing', icon: 'bill' },
  { page: 'analytics', icon: 'chart' },
  { page: 'ai', icon: 'spark' },
  { page: 'autoReplies', icon: 'chat' },
  { page: 'agents', icon: 'people' },
  { page: 'keys', icon: 'key' },
  { page: 'audit', icon: 'list' },
  { page: 'privacy', icon: 'shield' },
  { page: 'settings', icon: 'sliders' },
];
const OF_AGENT: readonly Entry[] = [{ page: 'inbox', icon: 'chat' }];
const OF_OPERATOR: readonly Entry[] = [
  { page: 'operator', icon: 'home' },
  { page: 'operatorCluster', icon: 'nodes' },
  { page: 'operatorTenants', icon: 'people' },
  { page: 'operatorSender', icon: 'phone' },
  { page: 'operatorBilling', icon: 'bill' },
];

interface NavProps {
  readonly isOperator: boolean;
  /** Of a narrow window, where it is behind a button. */
  readonly isOpen: boolean;
  readonly onLeave: () => void;
}

/** The pages that who is here may open. */
export function Nav({ isOperator, isOpen, onLeave }: NavProps): JSX.Element | null {
  const t = common();
  const { path } = useLocation();
  const entries = isOperator ? OF_OPERATOR : entriesOf(person.value?.role);
  if (entries.length === 0) return null;
  const current = entries.map(({ page }) => BASE + PAGES[page].path).filter((one) => isAt(path, one));
  return (
    <nav id="nav" class={isOpen ? 'nav is-open' : 'nav'} aria-label={t.pages}>
      <ul>
        {entries.map(({ page, icon }) => {
          const href = BASE + PAGES[page].path;
          return (
            <li key={page}>
              <a href={href} aria-current={current.at(-1) === href ? 'page' : undefined} onClick={onLeave}>
                <Icon name={icon} />
                {t.nav[page]}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

const entriesOf = (role: 'admin' | 'agent' | undefined): readonly Entry[] =>
  role === 'admin' ? OF_OWNER : role === 'agent' ? OF_AGENT : [];

/** On the page itself or below it; the first page is above all others. */
const isAt = (path: string, href: string): boolean => {
  const bare = href.replace(/\/$/, '');
  return path === bare || (bare !== BASE && path.startsWith(`${bare}/`));
};
