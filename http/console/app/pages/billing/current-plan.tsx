import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Bar } from '../../ui/bar.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { moneyText } from '../../words/money.ts';
import { words } from './words.ts';

const TONES = { free: 'calm', active: 'good', past_due: 'warn', grace: 'bad' } as const;

const NEARLY_FULL = 0.8;

interface CurrentPlanProps {
  readonly billing: Schemas['Billing'];
  readonly onChange: () => void;
}

export function CurrentPlan({ billing, onChange }: CurrentPlanProps): JSX.Element {
  const t = words();
  const { plan, status, period_end, cancel_at_period_end, pending_plan, credit, overage, quota, paused_devices } = billing;
  return (
    <section class="card stack">
      <div class="row apart">
        <h2 class="plan-name">
          {t.plan}: {plan}
        </h2>
        <Badge tone={TONES[status]} text={t.statuses[status]} />
      </div>
      <dl class="facts">
        <div>
          <dt>{t.used}</dt>
          <dd>{t.of(numberText(quota.used), numberText(quota.limit))}</dd>
          <dd>
            <Bar value={quota.used} max={quota.limit} tone={quota.used >= NEARLY_FULL * quota.limit ? 'warn' : undefined} />
          </dd>
          <dd class="soft small">{t.resets(whenText(quota.resets_at))}</dd>
        </div>
        {period_end !== null && (
          <div>
            <dt>{t.plan}</dt>
            <dd>{t.until(whenText(period_end))}</dd>
          </div>
        )}
        <div>
          <dt>{t.credit}</dt>
          <dd>{moneyText(credit.amount, credit.currency)}</dd>
        </div>
        {overage.messages > 0 && (
          <div>
            <dt>{t.overage}</dt>
            <dd>{t.overageOf(numberText(overage.messages), moneyText(overage.amount, overage.currency))}</dd>
          </div>
        )}
      </dl>
      {cancel_at_period_end && period_end !== null && <p class="notice warn">{t.ends(whenText(period_end))}</p>}
      {pending_plan !== null && <p>{t.afterwards(pending_plan)}</p>}
      {paused_devices.length > 0 && <p class="notice warn">{t.paused(numberText(paused_devices.length))}</p>}
      <Acts billing={billing} onChange={onChange} />
    </section>
  );
}

function Acts({ billing: { status, cancel_at_period_end, pending_plan }, onChange }: CurrentPlanProps): JSX.Element {
  const t = words();
  const asked = useSignal<'stop' | 'retry' | null>(null);
  const retried = useSignal<number | null>(null);
  const acting = useAct();
  const close = (): void => {
    asked.value = null;
  };
  const act = (work: () => Promise<unknown>): Promise<void> =>
    acting.run(async () => {
      await work().finally(close);
      onChange();
    });
  const canResume = cancel_at_period_end || pending_plan !== null;
  return (
    <>
      <div class="buttons">
        {status !== 'free' && !cancel_at_period_end && (
          <button type="button" class="button" aria-haspopup="dialog" onClick={() => (asked.value = 'stop')}>
            {t.stop}
          </button>
        )}
        {canResume && (
          <button type="button" class="button" disabled={acting.isBusy.value} onClick={() => act(() => call('resumePlan', {}))}>
            {t.resume}
          </button>
        )}
        <button type="button" class="button" aria-haspopup="dialog" onClick={() => (asked.value = 'retry')}>
          {t.retry}
        </button>
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      <p role="status">{retried.value !== null && t.retried(numberText(retried.value))}</p>
      <Confirm
        title={t.stop}
        verb={t.stop}
        isDangerous
        isOpen={asked.value === 'stop'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={() => act(() => call('cancelPlan', {}))}
      >
        <p>{t.stopAsk}</p>
        <AsCode operation="cancelPlan" input={{}} />
      </Confirm>
      <Confirm
        title={t.retry}
        verb={t.retry}
        isOpen={asked.value === 'retry'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={() => act(async () => (retried.value = (await call('retryUnsent', {})).retried))}
      >
        <p>{t.retryAsk}</p>
        <AsCode operation="retryUnsent" input={{}} />
      </Confirm>
    </>
  );
}
