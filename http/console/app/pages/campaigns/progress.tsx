import type { JSX } from 'preact';
import { Bar } from '../../ui/bar.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { words as official, wordOf } from '../official/words.ts';
import { type Campaign, doneOf, queuedOf } from './facts.ts';
import { WindowStrip } from './window-strip.tsx';
import { words } from './words.ts';

export function Progress({ campaign }: { readonly campaign: Campaign }): JSX.Element {
  const t = words();
  const { status, total_recipients: total, sent_count: sent, failed_count: failed, skipped_count: skipped } = campaign;
  const facts = [
    [t.of.queued, queuedOf(campaign)],
    [t.failed, failed],
    [t.skipped, skipped],
  ] as const;
  return (
    <section class="card stack" aria-labelledby="campaign-progress">
      <h2 id="campaign-progress" class="only-heard">
        {t.progress}
      </h2>
      <div class="row apart top">
        <div>
          <p class="figure-huge">
            {numberText(sent)} <small>{t.ofSent(numberText(total))}</small>
          </p>
          <p class="small soft">{stateText(campaign)}</p>
        </div>
        <dl class="pairs">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="figures">{numberText(value)}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div
        role="progressbar"
        data-testid="campaign-progress"
        data-status={status}
        aria-label={t.progress}
        aria-valuemin={0}
        aria-valuenow={doneOf(campaign)}
        aria-valuemax={total}
      >
        <Bar
          size="large"
          value={sent}
          max={total}
          then={[
            [failed, 'bad'],
            [skipped, 'grey'],
          ]}
        />
      </div>
      {status === 'running' && <WindowStrip usedSince={campaign.started_at} />}
    </section>
  );
}

function stateText({ status, resumes_at, pause_reason, completed_at, error }: Campaign): string {
  const t = words();
  if (error !== null) return error;
  if (status === 'running') return resumes_at === null ? t.sendingNow : t.resumes(whenText(resumes_at));
  if (status === 'paused') return pause_reason === null ? t.pausedByTeam : t.pausedBecause(wordOf(official().pauses, pause_reason));
  return completed_at === null ? '' : t.endedAt(whenText(completed_at));
}
