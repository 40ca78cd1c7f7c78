import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { words } from './words.ts';

const KINDS = ['messages', 'media', 'webhooks', 'audit'] as const;
type Privacy = Schemas['Privacy'];

interface RetentionProps {
  readonly privacy: Privacy;
  readonly onChange: (privacy: Privacy) => void;
}

export function Retention({ privacy, onChange }: RetentionProps): JSX.Element {
  const t = words();
  const { retention_days, pending, last_run } = privacy;
  const typed = useSignal({ ...retention_days, ...pending?.retention_days });
  const removed = useSignal<Schemas['RetentionCounts'] | null>(null);
  const isSaved = useSignal(false);
  const acting = useAct();
  const close = (): void => {
    removed.value = null;
  };
  const review = (): Promise<void> =>
    acting.run(async () => {
      isSaved.value = false;
      removed.value = await call('previewPrivacy', { query: typed.value });
    });
  const save = (): Promise<void> =>
    acting.run(async () => {
      onChange(await call('updatePrivacy', { body: { retention_days: typed.value } }).finally(close));
      isSaved.value = true;
    });
  const periods = (days: Privacy['retention_days']): string =>
    KINDS.map((kind) => t.period(t.kinds[kind], numberText(days[kind]))).join(', ');
  return (
    <section class="card stack">
      <h2>{t.retention}</h2>
      <p class="soft">{t.retentionAbout}</p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void review();
        }}
      >
        {KINDS.map((kind) => (
          <Field
            key={kind}
            label={t.kinds[kind]}
            type="number"
            required
            autocomplete="off"
            testId={`retention-${kind}`}
            value={String(typed.value[kind])}
            onValue={(value) => (typed.value = { ...typed.value, [kind]: Number(value) })}
          />
        ))}
        {acting.error.value && <Failure error={acting.error.value} onRetry={review} />}
        <div class="row">
          <button type="submit" class="button" aria-haspopup="dialog" disabled={acting.isBusy.value}>
            {t.review}
          </button>
          <span role="status" class="small soft">
            {isSaved.value ? t.saved : ''}
          </span>
        </div>
      </form>
      {pending && <p class="notice warn">{t.pending(periods(pending.retention_days), whenText(pending.effective_at))}</p>}
      <p class="soft small">
        {last_run
          ? t.lastRun(whenText(last_run.at), numberText(Object.values(last_run.removed).reduce((sum, one) => sum + one, 0)))
          : t.neverRun}
      </p>
      <AsCode operation="updatePrivacy" input={{ body: { retention_days: typed.value } }} />
      <Confirm
        title={t.review}
        verb={t.review}
        isDangerous
        isOpen={removed.value !== null}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={save}
      >
        <p>{t.reviewAsk}</p>
        <ul>
          {KINDS.map((kind) => (
            <li key={kind}>
              {t.kinds[kind]}: {numberText(removed.value?.[kind] ?? 0)}
            </li>
          ))}
        </ul>
      </Confirm>
    </section>
  );
}
