import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { Page } from '../../ui/page.tsx';
import { SettingsFrame } from '../../ui/settings-frame.tsx';
import { Loaded } from '../../ui/states.tsx';
import { CurrentPlan } from './current-plan.tsx';
import { Invoices } from './invoices.tsx';
import { Plans } from './plans.tsx';
import { words } from './words.ts';

export function BillingPage({ query }: RouteProps): JSX.Element {
  const t = words();
  const loaded = useResource('billing', async (signal) => {
    const [billing, { plans }, options] = await Promise.all([
      call('getBilling', {}, { signal }),
      call('listPlans', {}, { signal }),
      call('getBillingOptions', {}, { signal }),
    ]);
    return { billing, plans, options };
  });
  const { before, before_id } = query ?? {};
  const asked = before && before_id ? { before: Number(before), before_id } : {};
  const invoices = useResource(JSON.stringify(asked), (signal) => call('listInvoices', { query: asked }, { signal }));
  const reload = (): void => {
    loaded.reload();
    invoices.reload();
  };
  return (
    <Page title={t.title} about={t.about}>
      <SettingsFrame section="billing">
        <div class="stack">
          <Loaded of={loaded}>
            {(data) => (
              <>
                <CurrentPlan billing={data.billing} onChange={reload} />
                <Plans {...data} onChange={reload} />
              </>
            )}
          </Loaded>
          <section class="stack" aria-label={t.invoices}>
            <h2>{t.invoices}</h2>
            <Loaded of={invoices}>{(data) => <Invoices {...data} isFirst={!before} />}</Loaded>
          </section>
        </div>
      </SettingsFrame>
    </Page>
  );
}
