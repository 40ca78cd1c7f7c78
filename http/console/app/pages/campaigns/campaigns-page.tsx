import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import type { LiveEvent } from '../../state/live.ts';
import { Badge } from '../../ui/badge.tsx';
import { Listing } from '../../ui/listing.tsx';
import { useNews } from '../../ui/news.ts';
import { Page } from '../../ui/page.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
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

/** Something about a campaign. */
export const isOfCampaigns = ({ type }: LiveEvent): boolean => type.startsWith('blast.');

export function CampaignsPage({ query = {} }: RouteProps): JSX.Element {
  const t = words();
  const place = placeIn(query);
  const campaigns = useResource(JSON.stringify(place), (signal) => call('listBlasts', { query: place }, { signal }));
  useNews(campaigns, isOfCampaigns);
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
        {({ blasts, ...next }) => (
          <>
            <Listing of={blasts} empty={<Empty title={t.none} about={t.noneAbout} />}>
              {(one) => <Row key={one.id} campaign={one} />}
            </Listing>
            <Pager path="/campaigns" query={{}} place={place} next={next} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Row({ campaign }: { readonly campaign: Campaign }): JSX.Element {
  const t = words();
  const { id, name, total_recipients, created_at, status } = campaign;
  return (
    <li>
      <a href={`${BASE}/campaigns/${id}`} data-testid="campaign-row">
        <span class="grow">
          <strong class="breaks">{name}</strong>
        </span>
        <span class="small soft figures">{t.counts(numberText(doneOf(campaign)), numberText(total_recipients))}</span>
        <span class="small soft">{whenText(created_at)}</span>
        <CampaignBadge status={status} />
      </a>
    </li>
  );
}
