import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import type { RouteProps } from '../../guard.tsx';
import { Page } from '../../ui/page.tsx';
import { SectionHead } from '../../ui/save-form.tsx';
import { SettingsFrame, sectionNames } from '../../ui/settings-frame.tsx';
import { NotFoundPage } from '../not-found/not-found-page.tsx';
import { Business } from './business.tsx';
import { Fields } from './fields.tsx';
import { Logins } from './logins.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Assigning, Consent, SendWindow, Welcome } from './sending.tsx';
import { words } from './words.ts';

const SECTIONS = ['business', 'window', 'welcome', 'consent', 'assignment', 'fields', 'security'] as const;
type Section = (typeof SECTIONS)[number];

const CONTENTS: Readonly<Record<Section, ComponentType>> = {
  business: Business,
  window: SendWindow,
  welcome: Welcome,
  consent: Consent,
  assignment: Assigning,
  fields: Fields,
  security: Security,
};

/** Addresses under `/settings` that belong to sections with pages of their own. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['team', '/agents'],
  ['agents', '/agents'],
  ['billing', '/billing'],
  ['privacy', '/privacy'],
  ['audit', '/audit'],
]);

export function SettingsPage({ params }: RouteProps): JSX.Element {
  const t = sectionNames();
  const asked = params?.['section'] ?? 'business';
  const section = SECTIONS.find((one) => one === asked);
  const elsewhere = ELSEWHERE.get(asked);
  if (elsewhere !== undefined) return <Elsewhere path={elsewhere} />;
  if (section === undefined) return <NotFoundPage />;
  const Contents = CONTENTS[section];
  return (
    <Page title={section === 'business' ? t.settings : `${t.names[section]} · ${t.settings}`} heading={t.settings}>
      <SettingsFrame section={section}>
        <Contents />
      </SettingsFrame>
    </Page>
  );
}

function Elsewhere({ path }: { readonly path: string }): JSX.Element {
  const { route } = useLocation();
  useEffect(() => route(BASE + path, true), [path]);
  return <Page title={sectionNames().settings} busy />;
}

function Security(): JSX.Element {
  return (
    <>
      <SectionHead title={sectionNames().names.security} about={words().securityAbout} />
      <SecondFactor />
      <Passkeys />
      <Logins />
    </>
  );
}
