import type { JSX } from 'preact';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import type { LiveEvent } from '../../state/live.ts';
import { addressWith } from '../../ui/address.ts';
import { Bar } from '../../ui/bar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useNews } from '../../ui/news.ts';
import { Page } from '../../ui/page.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { clockText, dayOf, numberText, percentText, timeText } from '../../words/formats.ts';
import { CampaignBadge } from './campaign-badge.tsx';
import { audienceText, type Campaign, doneOf, isPlanned, loadNames, type Names, NO_NAMES, senderText } from './facts.ts';
import { words } from './words.ts';

export const isOfCampaigns = ({ type }: LiveEvent): boolean => type.startsWith('blast.');

const STATUSES = ['running', 'paused', 'draft', 'completed', 'cancelled', 'failed'] as const;

export function CampaignsPage({ query = {} }: RouteProps): JSX.Element {
  const t = words();
  const place = placeIn(query);
  const status = STATUSES.find((one) => one === query['status']);
  const asked = { ...(status && { status }), ...place };
  const campaigns = useResource(JSON.stringify(asked), (signal) => call('listBlasts', { query: asked }, { signal }));
  useNews(campaigns, isOfCampaigns);
  const found = useResource('names', loadNames).load.value;
  const names = found.state === 'loaded' ? found.data : NO_NAMES;
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <>
          <a class="button" href={`${BASE}/settings/window`}>
            <Icon name="clock" />
            {t.window}
          </a>
          <a class="button first" href={`${BASE}/campaigns/new`}>
            <Icon name="plus" />
            {t.add}
          </a>
        </>
      }
    >
      <div class="stack">
        <Tabs
          label={t.status}
          current={status ?? ''}
          tabs={[
            ['', t.tabs.all, addressWith('/campaigns', {})],
            ...STATUSES.map((one) => [one, t.tabs[one], addressWith('/campaigns', { status: one })] as const),
          ]}
        />
        <Loaded of={campaigns}>
          {({ blasts, ...next }) =>
            blasts.length === 0 ? (
              <Empty title={status ? t.noneOfStatus : t.none} about={status ? t.noneOfStatusAbout : t.noneAbout} />
            ) : (
              <>
                <section class="card table-card" tabIndex={0} aria-label={t.title}>
                  <table class="folding">
                    <thead>
                      <tr>
                        <th scope="col">{t.campaign}</th>
                        <th scope="col">{t.status}</th>
                        <th scope="col">{t.sent}</th>
                        <th scope="col" class="end">
                          {t.delivered}
                        </th>
                        <th scope="col" class="end">
                          {t.read}
                        </th>
                        <th scope="col" class="end">
                          {t.replied}
                        </th>
                        <th scope="col" class="end">
                          {t.when}
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {blasts.map((one) => (
                        <Row key={one.id} campaign={one} names={names} />
                      ))}
                    </tbody>
                  </table>
                </section>
                <Pager path="/campaigns" query={{ status }} place={place} next={next} />
              </>
            )
          }
        </Loaded>
      </div>
    </Page>
  );
}

const TONES = { draft: 'grey', running: undefined, paused: 'warn', completed: 'grey', failed: 'grey', cancelled: 'grey' } as const;

interface RowProps {
  readonly campaign: Campaign;
  readonly names: Names;
}

function Row({ campaign, names }: RowProps): JSX.Element {
  const t = words();
  const { id, name, total_recipients: total, sent_count: sent, delivered_count, read_count, replied_count, status } = campaign;
  const from = senderText(campaign, names);
  const share = total === 0 ? 0 : doneOf(campaign) / total;
  return (
    <tr data-testid="campaign-row">
      <td class="whole">
        <a class="row-title" href={`${BASE}/campaigns/${id}`}>
          <bdi>{name}</bdi>
        </a>
        <p class="meta tiny breaks">
          <bdi>{[audienceText(campaign, names), from].filter(Boolean).join(', ')}</bdi>
        </p>
      </td>
      <td>
        <CampaignBadge campaign={campaign} />
      </td>
      <td class="whole">
        <div class="progress-cell">
          <span class="figures">
            {t.counts(numberText(doneOf(campaign)), numberText(total))} <span>{percentText(Math.round(share * 100) / 100)}</span>
          </span>
          <Bar value={share} max={1} tone={TONES[status]} />
        </div>
      </td>
      <Rate of={sent} count={delivered_count} />
      <Rate of={sent} count={read_count} />
      <Rate of={sent} count={replied_count} />
      <td class="end meta wide-only">{whenOf(campaign)}</td>
    </tr>
  );
}

const Rate = ({ of, count }: { readonly of: number; readonly count: number }): JSX.Element => (
  <td class="end figures wide-only">{of === 0 ? '–' : percentText(Math.round((100 * count) / of) / 100)}</td>
);

function whenOf(campaign: Campaign): string {
  const { completed_at, started_at, created_at, scheduled_at } = campaign;
  if (isPlanned(campaign) && scheduled_at !== null) return `${dayOf(scheduled_at, Date.now())}, ${clockText(scheduled_at)}`;
  return timeText(completed_at ?? started_at ?? created_at);
}
