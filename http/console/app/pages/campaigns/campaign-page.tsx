import type { JSX } from 'preact';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { useNews } from '../../ui/news.ts';
import { Page } from '../../ui/page.tsx';
import { PhoneFrame } from '../../ui/phone-frame.tsx';
import { Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { CampaignBadge } from './campaign-badge.tsx';
import { isOfCampaigns } from './campaigns-page.tsx';
import { DraftStart } from './draft-start.tsx';
import { audienceText, type Campaign, loadNames, mayCost, type Names, NO_NAMES, senderText } from './facts.ts';
import { Moves } from './moves.tsx';
import { Progress } from './progress.tsx';
import { Recipients } from './recipients.tsx';
import { Results } from './results.tsx';
import { WhyNot } from './why-not.tsx';
import { words } from './words.ts';

export function CampaignPage({ params = {} }: RouteProps): JSX.Element {
  const t = words();
  const id = params['id'] ?? '';
  const campaign = useResource(id, (signal) => call('getBlast', { params: { id } }, { signal }));
  useNews(campaign, isOfCampaigns);
  const found = useResource('names', loadNames).load.value;
  const names = found.state === 'loaded' ? found.data : NO_NAMES;
  const load = campaign.load.value;
  const one = load.state === 'loaded' ? load.data : null;
  return (
    <Page
      title={one === null ? `${t.title} ${id}` : one.name}
      about={one === null ? undefined : aboutOf(one, names)}
      within={[t.title, `${BASE}/campaigns`]}
      beside={one && <CampaignBadge campaign={one} />}
      actions={one && <Moves campaign={one} resource={campaign} />}
    >
      <Loaded of={campaign}>
        {(loaded) => (
          <div class="with-aside">
            <div class="stack">
              {loaded.status === 'draft' ? (
                <DraftStart campaign={loaded} resource={campaign} />
              ) : (
                <>
                  <Progress campaign={loaded} />
                  <Results campaign={loaded} hasCosts={mayCost(loaded, names)} />
                </>
              )}
              <Recipients id={id} version={versionOf(loaded)} />
            </div>
            <div class="stack">
              {loaded.status !== 'draft' && <WhyNot campaign={loaded} />}
              <section class="card">
                <h2>{t.steps.what}</h2>
                <PhoneFrame text={loaded.body ?? loaded.caption} hasFile={loaded.message_type !== 'text'} />
              </section>
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const versionOf = ({ sent_count, failed_count, skipped_count, delivered_count, read_count, status }: Campaign): string =>
  [sent_count, failed_count, skipped_count, delivered_count, read_count, status].join(' ');

function aboutOf(campaign: Campaign, names: Names): string {
  const t = words();
  const { total_recipients, started_at } = campaign;
  const from = senderText(campaign, names);
  const parts = [t.peopleOf(numberText(total_recipients), total_recipients), audienceText(campaign, names), from];
  const started = started_at === null ? '' : ` ${t.startedAt(whenText(started_at))}`;
  return `${parts.filter(Boolean).join(' · ')}.${started}`;
}
