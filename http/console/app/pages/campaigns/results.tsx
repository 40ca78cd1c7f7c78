import type { JSX } from 'preact';
import { Bar } from '../../ui/bar.tsx';
import { numberText, percentText } from '../../words/formats.ts';
import { CampaignCosts } from '../official/costs.tsx';
import type { Campaign } from './facts.ts';
import { words } from './words.ts';

interface ResultsProps {
  readonly campaign: Campaign;
  readonly hasCosts: boolean;
}

export function Results({ campaign, hasCosts }: ResultsProps): JSX.Element {
  const t = words();
  const { sent_count: sent, delivered_count, read_count, replied_count, opted_out_count, status } = campaign;
  const isOver = status !== 'running' && status !== 'paused';
  const lines = [
    [t.sent, sent],
    [t.delivered, delivered_count],
    [t.read, read_count],
    [t.replied, replied_count],
  ] as const;
  return (
    <section class="card stack" aria-labelledby="campaign-results">
      <div class="row apart">
        <h2 id="campaign-results">{isOver ? t.results : t.resultsSoFar}</h2>
        <span class="small meta">{t.ofSentAll(numberText(sent))}</span>
      </div>
      <ol class="funnel">
        {lines.map(([name, count], nth) => (
          <li key={name}>
            <span>{name}</span>
            <Bar size="tall" value={count} max={sent} />
            <span class="end figures">
              <b>{numberText(count)}</b>{' '}
              {nth > 0 && sent > 0 && <small class="meta">{percentText(Math.round((100 * count) / sent) / 100)}</small>}
            </span>
          </li>
        ))}
      </ol>
      {hasCosts && isOver && delivered_count > 0 && <CampaignCosts id={campaign.id} version={`${status} ${delivered_count}`} />}
      {opted_out_count > 0 && <p class="small meta">{t.optedOutAfter(numberText(opted_out_count))}</p>}
    </section>
  );
}
