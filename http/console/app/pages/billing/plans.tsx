import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { Badge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { numberText } from '../../words/formats.ts';
import { moneyText } from '../../words/money.ts';
import { Checkout } from './checkout.tsx';
import { words } from './words.ts';

interface PlansProps {
  readonly billing: Schemas['Billing'];
  readonly plans: readonly Schemas['Plan'][];
  readonly options: Schemas['GetBillingOptionsResponse'];
  readonly onChange: () => void;
}

const FREE = 'free';

export function Plans({ billing, plans, options, onChange }: PlansProps): JSX.Element {
  const t = words();
  const { currency } = options;
  const chosen = useSignal<string | null>(null);
  const close = (): void => {
    chosen.value = null;
  };
  return (
    <section class="stack" aria-label={t.plans}>
      <h2>{t.plans}</h2>
      {options.providers.length === 0 && <p class="notice warn">{t.noProvider}</p>}
      <ul class="list">
        {plans.map(({ name, prices, devices, messages, ai_replies, overage }) => (
          <li key={name}>
            <div class="line">
              <div class="grow">
                <strong class="plan-name">{name}</strong>{' '}
                {name !== FREE && <span class="soft">{prices[currency] ? t.month(moneyText(prices[currency], currency)) : t.free}</span>}
                <p class="soft small">
                  {t.holds(numberText(devices), numberText(messages), numberText(ai_replies))}
                  {overage && ` · ${t.more(moneyText(overage[currency], currency))}`}
                </p>
              </div>
              {name === billing.plan && <Badge tone="calm" text={t.current} />}
              {prices[currency] !== null && prices[currency] > 0 && options.providers.length > 0 && (
                <button
                  type="button"
                  class="button slim"
                  aria-haspopup="dialog"
                  aria-label={t.chooseOf(name)}
                  onClick={() => (chosen.value = name)}
                >
                  {t.choose}
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      <Dialog title={chosen.value === null ? t.choose : t.chooseOf(chosen.value)} isOpen={chosen.value !== null} onClose={close}>
        {chosen.value !== null && <Checkout plan={chosen.value} options={options} onDone={onChange} onClose={close} />}
      </Dialog>
    </section>
  );
}
