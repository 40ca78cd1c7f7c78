import type { ComponentType, JSX } from 'preact';
import { BASE } from '../../../pages.ts';
import type { RouteProps } from '../../guard.tsx';
import { Page } from '../../ui/page.tsx';
import { common } from '../../words/common.ts';
import { NotFoundPage } from '../not-found/not-found-page.tsx';
import { Business } from './business.tsx';
import { Logins } from './logins.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Assigning, Consent, SendWindow, Welcome } from './sending.tsx';
import { words } from './words.ts';

const SECTIONS = ['business', 'window', 'welcome', 'consent', 'assignment', 'security'] as const;
type Section = (typeof SECTIONS)[number];

const CONTENTS: Readonly<Record<Section, ComponentType>> = {
  business: Business,
  window: SendWindow,
  welcome: Welcome,
  consent: Consent,
  assignment: Assigning,
  security: Security,
};

/** Pages of their own that are found here, too. */
const ELSEWHERE = ['agents', 'billing', 'privacy', 'audit'] as const;

/** What concerns the account as a whole, one section at a time. */
export function SettingsPage({ params }: RouteProps): JSX.Element {
  const t = words();
  const asked = params?.['section'] ?? 'business';
  const section = SECTIONS.find((one) => one === asked);
  if (section === undefined) return <NotFoundPage />;
  const Contents = CONTENTS[section];
  return (
    <Page title={asked === 'business' ? t.title : `${t.sections[section]} · ${t.title}`}>
      <div class="settings">
        <nav class="sections" aria-label={t.title}>
          <ul>
            {SECTIONS.map((one) => (
              <li key={one}>
                <a href={`${BASE}/settings/${one}`} aria-current={one === section ? 'page' : undefined}>
                  {t.sections[one]}
                </a>
              </li>
            ))}
            {ELSEWHERE.map((page) => (
              <li key={page}>
                <a href={`${BASE}/${page}`}>{common().nav[page]}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="stack" key={section}>
          <Contents />
        </div>
      </div>
    </Page>
  );
}

function Security(): JSX.Element {
  return (
    <>
      <SecondFactor />
      <Passkeys />
      <Logins />
    </>
  );
}
