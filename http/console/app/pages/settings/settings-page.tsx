import type { ComponentType, JSX } from 'preact';
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

export function SettingsPage({ params }: RouteProps): JSX.Element {
  const t = sectionNames();
  const asked = params?.['section'] ?? 'business';
  const section = SECTIONS.find((one) => one === asked);
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
