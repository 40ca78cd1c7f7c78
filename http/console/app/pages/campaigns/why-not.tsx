import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { addressWith } from '../../ui/address.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import type { Campaign } from './facts.ts';
import { isRepeatable, MAY_HAVE_ARRIVED, reasonText } from './reasons.ts';
import { words } from './words.ts';

const READ = 200;

export function WhyNot({ campaign }: { readonly campaign: Campaign }): JSX.Element | null {
  const { id, failed_count, skipped } = campaign;
  const t = words();
  const failed = useResource(`${id} ${failed_count}`, async (signal) => {
    if (failed_count === 0) return { counts: new Map<string, number>(), isWhole: true };
    const { recipients, next_before } = await call(
      'listBlastRecipients',
      { params: { id }, query: { status: 'failed', limit: READ } },
      { signal },
    );
    const counts = new Map<string, number>();
    for (const { error } of recipients) counts.set(error ?? '', (counts.get(error ?? '') ?? 0) + 1);
    return { counts, isWhole: next_before === null };
  });
  const missed = failed_count + Object.values(skipped).reduce((sum, count) => sum + count, 0);
  if (missed === 0) return null;
  return (
    <section class="card stack" aria-labelledby="campaign-why">
      <h2 id="campaign-why">{t.whyNot(numberText(missed), missed)}</h2>
      <Loaded of={failed}>
        {({ counts, isWhole }) => (
          <>
            <ul class="legend" data-testid="campaign-why">
              {[...counts].map(([code, count]) => (
                <Line key={code} id={id} code={code} tone="bad" count={isWhole ? numberText(count) : t.orMore(numberText(count))} />
              ))}
              {Object.entries(skipped).map(([code, count]) => (
                <Line key={code} id={id} code={code} tone={code === 'opted_out' ? 'warn' : 'grey'} count={numberText(count)} />
              ))}
            </ul>
            <Again campaign={campaign} counts={new Map([...counts, ...Object.entries(skipped)])} isWhole={isWhole} />
          </>
        )}
      </Loaded>
    </section>
  );
}

interface LineProps {
  readonly id: string;
  readonly code: string;
  readonly tone: 'bad' | 'warn' | 'grey';
  readonly count: string;
}

const Line = ({ id, code, tone, count }: LineProps): JSX.Element => (
  <li>
    <span class={`dot ${tone}`} aria-hidden="true" />
    <a href={addressWith(`/campaigns/${id}`, { reason: code })}>{reasonText(code)}</a>
    <b class="figures">{count}</b>
  </li>
);

interface AgainProps {
  readonly campaign: Campaign;
  readonly counts: ReadonlyMap<string, number>;
  readonly isWhole: boolean;
}

function Again({ campaign: { id, status }, counts, isWhole }: AgainProps): JSX.Element | null {
  const t = words();
  const { route } = useLocation();
  const acting = useAct();
  const isAsking = useSignal(false);
  const reasons = [...counts.keys()].filter(isRepeatable);
  const people = reasons.reduce((sum, code) => sum + (counts.get(code) ?? 0), 0);
  const unsure = counts.get(MAY_HAVE_ARRIVED) ?? 0;
  if (status === 'running' || status === 'paused') return people + unsure === 0 ? null : <p class="small meta">{t.againLater}</p>;
  if (people + unsure === 0) return null;
  const again = (some: readonly string[]): Promise<void> =>
    acting.run(async () => {
      const draft = await call('resendBlast', { params: { id }, body: { reasons: [...some] } });
      isAsking.value = false;
      route(`${BASE}/campaigns/${draft.id}`);
    });
  const countText = (count: number): string => (isWhole ? numberText(count) : t.orMore(numberText(count)));
  return (
    <>
      {acting.error.value && !isAsking.value && <Failure error={acting.error.value} />}
      {people > 0 && (
        <button
          type="button"
          class="button slim wide"
          data-testid="campaign-resend"
          disabled={acting.isBusy.value}
          onClick={() => again(reasons)}
        >
          <Icon name="retry" small />
          {t.againTo(countText(people))}
        </button>
      )}
      {unsure > 0 && (
        <button type="button" class="button slim wide" aria-haspopup="dialog" onClick={() => (isAsking.value = true)}>
          {t.againUnsure(countText(unsure))}
        </button>
      )}
      <p class="tiny meta">{t.againAbout}</p>
      <Confirm
        title={t.againUnsure(countText(unsure))}
        verb={t.againVerb}
        isOpen={isAsking.value}
        isBusy={acting.isBusy.value}
        onClose={() => (isAsking.value = false)}
        onConfirm={() => again([MAY_HAVE_ARRIVED])}
      >
        <p>{t.againUnsureAbout}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
        <AsCode operation="resendBlast" input={{ params: { id }, body: { reasons: [MAY_HAVE_ARRIVED] } }} />
      </Confirm>
    </>
  );
}
