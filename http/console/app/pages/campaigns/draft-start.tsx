import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import type { Resource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { Attest } from './attest.tsx';
import { isEditable } from './content.ts';
import { type Campaign, isPlanned } from './facts.ts';
import { words } from './words.ts';

interface DraftStartProps {
  readonly campaign: Campaign;
  readonly resource: Resource<Campaign>;
}

export function DraftStart({ campaign, resource }: DraftStartProps): JSX.Element {
  const t = words();
  const { id, total_recipients: total, scheduled_at, error, consent_attested_at } = campaign;
  const isAttested = useSignal(consent_attested_at !== null);
  const acting = useAct();
  const params = { id };
  const start = (): Promise<void> =>
    acting.run(async () => resource.put(await call('startBlast', { params, body: { consent_attested: true } })));
  const keep = (): Promise<void> =>
    acting.run(async () => resource.put(await call('changeBlast', { params, body: { scheduled_at: null } })));
  return (
    <section class="card stack" aria-labelledby="campaign-draft">
      <h2 id="campaign-draft" class="only-heard">
        {t.progress}
      </h2>
      <p class="figure-huge">
        {numberText(total)} <small>{t.peopleWord(total)}</small>
      </p>
      {scheduled_at !== null && (
        <p class="row apart">
          <span>{t.starts(whenText(scheduled_at))}</span>
          <button type="button" class="button slim" disabled={acting.isBusy.value} onClick={keep}>
            {t.doNotStart}
          </button>
        </p>
      )}
      {error !== null && <p class="notice warn small">{error}</p>}
      <div
        class="only-heard"
        role="progressbar"
        data-testid="campaign-progress"
        data-status="draft"
        aria-label={t.progress}
        aria-valuemin={0}
        aria-valuenow={0}
        aria-valuemax={total}
      />
      {!isPlanned(campaign) && <Attest isOn={isAttested.value} onOn={(isOn) => (isAttested.value = isOn)} />}
      {acting.error.value && <Failure error={acting.error.value} />}
      <div class="buttons">
        {isEditable(campaign) && (
          <a class="button" data-testid="campaign-edit" href={`${BASE}/campaigns/new?draft=${id}`}>
            <Icon name="pencil" small />
            {t.edit}
          </a>
        )}
        <button
          type="button"
          class={isPlanned(campaign) ? 'button' : 'button first'}
          data-testid="campaign-start"
          disabled={!isAttested.value || acting.isBusy.value || total === 0}
          onClick={start}
        >
          {isPlanned(campaign) ? t.startNow : t.startTo(numberText(total))}
        </button>
      </div>
    </section>
  );
}
