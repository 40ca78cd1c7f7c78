import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { onLive, onResync } from '../../state/live.ts';
import { Badge } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { words } from './words.ts';

export type Campaign = Schemas['BlastCampaign'];

const TONES = { draft: 'calm', running: 'good', paused: 'warn', completed: 'calm', failed: 'bad', cancelled: 'calm' } as const;

export const CampaignBadge = ({ status }: Pick<Campaign, 'status'>): JSX.Element => (
  <Badge tone={TONES[status]} text={words().statuses[status]} />
);

/** Recipients that need nothing more. */
export const doneOf = ({ sent_count, failed_count, skipped_count, total_recipients }: Campaign): number =>
  Math.min(total_recipients, sent_count + failed_count + skipped_count);

/** Loads again whenever a campaign went on. */
export function useCampaignNews({ reload, resync }: Pick<Resource<unknown>, 'reload' | 'resync'>): void {
  useEffect(() => {
    const stops = [onLive(({ type }) => void (type.startsWith('blast.') && reload())), onResync(resync)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}

export function CampaignsPage(): JSX.Element {
  const t = words();
  const campaigns = useResource('campaigns', (signal) => call('listBlasts', { query: { limit: 100 } }, { signal }));
  useCampaignNews(campaigns);
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <a class="button first" href={`${BASE}/campaigns/new`}>
          {t.add}
        </a>
      }
    >
      <Loaded of={campaigns}>
        {({ blasts }) => (blasts.length === 0 ? <Empty title={t.none} about={t.noneAbout} /> : <List blasts={blasts} />)}
      </Loaded>
    </Page>
  );
}

function List({ blasts }: Pick<Schemas['ListBlastsResponse'], 'blasts'>): JSX.Element {
  const t = words();
  return (
    <ul class="list">
      {blasts.map((one) => (
        <li key={one.id}>
          <a href={`${BASE}/campaigns/${one.id}`} data-testid="campaign-row">
            <span class="grow">
              <strong class="breaks">{one.name}</strong>
            </span>
            <span class="small soft figures">{t.counts(numberText(doneOf(one)), numberText(one.total_recipients))}</span>
            <span class="small soft">{whenText(one.created_at)}</span>
            <CampaignBadge status={one.status} />
          </a>
        </li>
      ))}
    </ul>
  );
}
