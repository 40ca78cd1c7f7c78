import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { BASE } from '../../pages.ts';
import { wordsOf } from '../words/words.ts';
import { Icon, type IconName } from './icon.tsx';

export const sectionNames = wordsOf({
  en: {
    settings: 'Settings',
    groups: { business: 'Your business', account: 'Account', records: 'Records' },
    names: {
      business: 'Business',
      window: 'Send window and pace',
      welcome: 'Welcome and away',
      consent: 'Consent',
      assignment: 'Assignment',
      fields: 'Contact fields',
      agents: 'Team',
      security: 'Security',
      billing: 'Plan and billing',
      privacy: 'Privacy',
      audit: 'Audit log',
    },
  },
  id: {
    settings: 'Setelan',
    groups: { business: 'Bisnis Anda', account: 'Akun', records: 'Catatan' },
    names: {
      business: 'Bisnis',
      window: 'Jam kirim dan laju',
      welcome: 'Sambutan dan di luar jam',
      consent: 'Persetujuan',
      assignment: 'Penugasan',
      fields: 'Kolom data kontak',
      agents: 'Tim',
      security: 'Keamanan',
      billing: 'Paket dan tagihan',
      privacy: 'Privasi',
      audit: 'Log audit',
    },
  },
});

type Section = keyof ReturnType<typeof sectionNames>['names'];

const OWN_PAGES: ReadonlySet<Section> = new Set(['agents', 'billing', 'privacy', 'audit']);

const GROUPS: readonly (readonly ['business' | 'account' | 'records', readonly (readonly [Section, IconName])[]])[] = [
  [
    'business',
    [
      ['business', 'shop'],
      ['window', 'clock'],
      ['welcome', 'reply'],
      ['consent', 'hand'],
      ['assignment', 'assign'],
      ['fields', 'list'],
    ],
  ],
  [
    'account',
    [
      ['agents', 'users'],
      ['security', 'lock'],
      ['billing', 'bill'],
    ],
  ],
  [
    'records',
    [
      ['privacy', 'shield'],
      ['audit', 'note'],
    ],
  ],
];

export function SettingsFrame({ section, children }: { readonly section: Section; readonly children: ComponentChildren }): JSX.Element {
  const t = sectionNames();
  const nav = useRef<HTMLElement>(null);
  // Scrolls to the current section, because all sections together are wider than a phone's screen.
  useLayoutEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - nav.current.offsetLeft - 16;
  }, [section]);
  return (
    <div class="settings">
      <nav class="sections" ref={nav} aria-label={t.settings}>
        {GROUPS.map(([group, sections]) => (
          <div key={group}>
            <p class="sections-group">{t.groups[group]}</p>
            <ul>
              {sections.map(([one, icon]) => (
                <li key={one}>
                  <a href={`${BASE}/${OWN_PAGES.has(one) ? one : `settings/${one}`}`} aria-current={one === section ? 'page' : undefined}>
                    <Icon name={icon} />
                    {t.names[one]}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="stack" key={section}>
        {children}
      </div>
    </div>
  );
}
