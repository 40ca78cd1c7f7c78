import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { moneyText } from '../../words/money.ts';
import { Lines } from './invoices.tsx';
import { words } from './words.ts';

interface CheckoutProps {
  readonly plan: string;
  readonly options: Schemas['GetBillingOptionsResponse'];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function Checkout({ plan, options: { providers, currency: usual }, onDone, onClose }: CheckoutProps): JSX.Element {
  const t = words();
  const usable = providers.find(({ currencies }) => currencies.includes(usual)) ?? providers[0];
  const provider = useSignal(usable?.id ?? '');
  const wish = useSignal(usual);
  const offered = providers.find(({ id }) => id === provider.value)?.currencies ?? [];
  const currency = offered.includes(wish.value) ? wish.value : (offered[0] ?? usual);
  const body = { plan, provider: provider.value, currency };
  const preview = useResource(JSON.stringify(body), (signal) => call('checkout', { body: { ...body, preview: true } }, { signal }));
  const made = useSignal<Schemas['CheckoutResponse'] | null>(null);
  const ordering = useAct();
  const order = (): Promise<void> =>
    ordering.run(async () => {
      made.value = await call('checkout', { body });
      onDone();
    });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void order();
      }}
    >
      <Choice
        label={t.provider}
        value={provider.value}
        options={providers.map(({ id }) => [id, id] as const)}
        onValue={(value) => (provider.value = value)}
      />
      {offered.length > 1 && (
        <Choice
          label={t.currency}
          value={currency}
          options={offered.map((one) => [one, one] as const)}
          onValue={(value) => (wish.value = value)}
        />
      )}
      <Loaded of={preview}>
        {({ invoice }) =>
          invoice ? (
            <div class="stack">
              <Lines invoice={invoice} />
              <p class="row apart">
                <strong>{t.total}</strong>
                <strong>{moneyText(invoice.amount, invoice.currency)}</strong>
              </p>
            </div>
          ) : (
            <p>{t.later}</p>
          )
        }
      </Loaded>
      {ordering.error.value && <Failure error={ordering.error.value} onRetry={order} />}
      <div role="status">{made.value && <p>{made.value.invoice ? t.ordered : t.isLater}</p>}</div>
      <AsCode operation="checkout" input={{ body }} />
      <div class="dialog-end">
        <button type="button" class="button" onClick={onClose}>
          {made.value ? common().close : common().cancel}
        </button>
        {!made.value && (
          <button
            type="submit"
            class="button first"
            data-testid="confirm"
            disabled={ordering.isBusy.value || preview.load.value.state !== 'loaded'}
          >
            {t.order}
          </button>
        )}
        {made.value?.payment_url && (
          <a class="button first" href={made.value.payment_url}>
            {t.pay}
          </a>
        )}
      </div>
    </form>
  );
}
