/**
 * Maps the pages in `PAGES` to their components. A page is loaded on demand and shown only to its
 * audience (guard.tsx).
 */

import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import lazy from 'preact-iso/lazy';
import { Route, Router } from 'preact-iso/router';
import { BASE, PAGES, type PageName } from '../pages.ts';
import { guarded, type RouteProps } from './guard.tsx';
import { BrokenPage, NotFoundPage } from './pages/not-found/not-found-page.tsx';
import { forgetDone } from './state/done.ts';
import { isLeaving } from './ui/page.tsx';

function onDemand<Module>(load: () => Promise<Module>, pick: (module: Module) => ComponentType<RouteProps>): ComponentType<RouteProps> {
  const get = (): Promise<ComponentType<RouteProps>> => load().then(pick);
  return lazy(() => get().catch(() => triedAgain(get)));
}

/** Retries loading a page once, for example after a lost connection or an upgrade. */
function triedAgain(get: () => Promise<ComponentType<RouteProps>>): ComponentType<RouteProps> {
  const found = signal<{ readonly Component: ComponentType<RouteProps> } | null>(null);
  const again = (): Promise<void> =>
    get().then((Component) => {
      found.value = { Component };
    });
  return function TriedAgain(props: RouteProps): JSX.Element {
    useEffect(() => void again().catch(() => {}), []);
    if (found.value) return <found.value.Component {...props} />;
    return <BrokenPage onRetry={() => again().catch(() => location.reload())} />;
  };
}

const inbox = onDemand(
  () => import('./pages/inbox/inbox-page.tsx'),
  (page) => page.InboxPage,
);

const settings = onDemand(
  () => import('./pages/settings/settings-page.tsx'),
  (page) => page.SettingsPage,
);

const COMPONENTS: Readonly<Record<PageName, ComponentType<RouteProps>>> = {
  signIn: onDemand(
    () => import('./pages/sign-in/sign-in-page.tsx'),
    (page) => page.SignInPage,
  ),
  signUp: onDemand(
    () => import('./pages/sign-in/sign-in-page.tsx'),
    (page) => page.SignUpPage,
  ),
  home: onDemand(
    () => import('./pages/home/home-page.tsx'),
    (page) => page.HomePage,
  ),
  devices: onDemand(
    () => import('./pages/devices/devices-page.tsx'),
    (page) => page.DevicesPage,
  ),
  device: onDemand(
    () => import('./pages/device/device-page.tsx'),
    (page) => page.DevicePage,
  ),
  inbox,
  chat: inbox,
  contacts: onDemand(
    () => import('./pages/contacts/contacts-page.tsx'),
    (page) => page.ContactsPage,
  ),
  contactsImport: onDemand(
    () => import('./pages/contacts/import-page.tsx'),
    (page) => page.ImportPage,
  ),
  contact: onDemand(
    () => import('./pages/contacts/contact-page.tsx'),
    (page) => page.ContactPage,
  ),
  segments: onDemand(
    () => import('./pages/segments/segments-page.tsx'),
    (page) => page.SegmentsPage,
  ),
  campaigns: onDemand(
    () => import('./pages/campaigns/campaigns-page.tsx'),
    (page) => page.CampaignsPage,
  ),
  newCampaign: onDemand(
    () => import('./pages/campaigns/new-campaign-page.tsx'),
    (page) => page.NewCampaignPage,
  ),
  campaign: onDemand(
    () => import('./pages/campaigns/campaign-page.tsx'),
    (page) => page.CampaignPage,
  ),
  later: onDemand(
    () => import('./pages/later/later-page.tsx'),
    (page) => page.LaterPage,
  ),
  webhooks: onDemand(
    () => import('./pages/webhooks/webhooks-page.tsx'),
    (page) => page.WebhooksPage,
  ),
  templates: onDemand(
    () => import('./pages/templates/templates-page.tsx'),
    (page) => page.TemplatesPage,
  ),
  agents: onDemand(
    () => import('./pages/agents/agents-page.tsx'),
    (page) => page.AgentsPage,
  ),
  keys: onDemand(
    () => import('./pages/keys/keys-page.tsx'),
    (page) => page.KeysPage,
  ),
  analytics: onDemand(
    () => import('./pages/analytics/analytics-page.tsx'),
    (page) => page.AnalyticsPage,
  ),
  audit: onDemand(
    () => import('./pages/audit/audit-page.tsx'),
    (page) => page.AuditPage,
  ),
  privacy: onDemand(
    () => import('./pages/privacy/privacy-page.tsx'),
    (page) => page.PrivacyPage,
  ),
  settings,
  settingsSection: settings,
  stores: onDemand(
    () => import('./pages/stores/stores-page.tsx'),
    (page) => page.StoresPage,
  ),
  billing: onDemand(
    () => import('./pages/billing/billing-page.tsx'),
    (page) => page.BillingPage,
  ),
  ai: onDemand(
    () => import('./pages/ai/ai-page.tsx'),
    (page) => page.AiPage,
  ),
  autoReplies: onDemand(
    () => import('./pages/auto-replies/auto-replies-page.tsx'),
    (page) => page.AutoRepliesPage,
  ),
  operator: onDemand(
    () => import('./pages/operator/operator-page.tsx'),
    (page) => page.OperatorPage,
  ),
  operatorCluster: onDemand(
    () => import('./pages/operator/cluster-page.tsx'),
    (page) => page.ClusterPage,
  ),
  operatorTenants: onDemand(
    () => import('./pages/operator/tenants-page.tsx'),
    (page) => page.TenantsPage,
  ),
  operatorNetwork: onDemand(
    () => import('./pages/operator/network-page.tsx'),
    (page) => page.NetworkPage,
  ),
  operatorSender: onDemand(
    () => import('./pages/operator/sender-page.tsx'),
    (page) => page.SenderPage,
  ),
  operatorBilling: onDemand(
    () => import('./pages/operator/billing-page.tsx'),
    (page) => page.BillingPage,
  ),
  design: IS_DEVELOPMENT
    ? onDemand(
        () => import('./pages/design/design-page.tsx'),
        (page) => page.DesignPage,
      )
    : NotFoundPage,
};

const NAMES = Object.keys(PAGES).filter((name): name is PageName => name in PAGES);
/** A component that serves several paths stays mounted when the route moves between them. */
const GUARDED = new Map(NAMES.map((name) => [COMPONENTS[name], guarded(PAGES[name].for, COMPONENTS[name])]));
const ROUTES = NAMES.map((name) => ({ name, path: BASE + PAGES[name].path, component: GUARDED.get(COMPONENTS[name]) ?? NotFoundPage }));

export const Pages = (): JSX.Element => (
  <Router onLoadStart={() => (isLeaving.value = true)} onLoadEnd={() => (isLeaving.value = false)} onRouteChange={begin}>
    {ROUTES.map(({ name, path, component }) => (
      <Route key={name} path={path} component={component} />
    ))}
    <Route default component={NotFoundPage} />
  </Router>
);

/** Moves the focus to the new page's heading, where keyboard and screen reader users then start. */
function begin(): void {
  forgetDone();
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}
