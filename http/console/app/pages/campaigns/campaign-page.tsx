import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { useNews } from '../../ui/news.ts';
import { Page } from '../../ui/page.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { personText } from '../../words/person.ts';
import { type Campaign, CampaignBadge, doneOf, isOfCampaigns } from './campaigns-page.tsx';
import { words } from './words.ts';

/** One campaign as it goes on. */
export function CampaignPage({ params = {} }: RouteProps): JSX.Element {
  const t = words();
  const id = params['id'] ?? '';
  const campaign = useResource(id, (signal) => call('getBlast', { params: { id } }, { signal }));
  useNews(campaign, isOfCampaigns);
  const load = campaign.load.value;
  return (
    <Page title={load.state === 'loaded' ? load.data.name : `${t.title} ${id}`}>
      <Loaded of={campaign}>
        {(one) => (
          <div class="stack">
            <Progress campaign={one} resource={campaign} />
            <Recipients id={id} version={`${one.sent_count} ${one.failed_count} ${one.skipped_count} ${one.status}`} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface ProgressProps {
  readonly campaign: Campaign;
  readonly resource: Resource<Campaign>;
}

function Progress({ campaign, resource }: ProgressProps): JSX.Element {
  const t = words();
  const {
    status,
    total_recipients: total,
    sent_count,
    failed_count,
    skipped_count,
    resumes_at,
    pause_reason,
    scheduled_at,
    body,
    error,
  } = campaign;
  const done = doneOf(campaign);
  return (
    <section class="card stack">
      <div class="row apart">
        <CampaignBadge status={status} />
        <span class="figures">{t.counts(numberText(done), numberText(total))}</span>
      </div>
      <div
        class="progress"
        role="progressbar"
        data-testid="campaign-progress"
        data-status={status}
        aria-label={t.progress}
        aria-valuemin={0}
        aria-valuenow={done}
        aria-valuemax={total}
      >
        <div style={{ inlineSize: `${total === 0 ? 0 : (100 * done) / total}%` }} />
      </div>
      {status === 'running' && resumes_at !== null && <p class="small">{t.resumes(whenText(resumes_at))}</p>}
      {status === 'draft' && scheduled_at !== null && <p class="small">{t.starts(whenText(scheduled_at))}</p>}
      {status === 'paused' && pause_reason !== null && <p class="small">{t.pausedBecause(pause_reason)}</p>}
      {error !== null && <p class="small">{error}</p>}
      <dl class="facts">
        {(
          [
            [t.total, total],
            [t.sent, sent_count],
            [t.failed, failed_count],
            [t.skipped, skipped_count],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="figures">{numberText(value)}</dd>
          </div>
        ))}
      </dl>
      {body !== null && <p class="bubble own">{body}</p>}
      <Moves campaign={campaign} resource={resource} />
    </section>
  );
}

/** Only the moves that this status has. */
function Moves({ campaign, resource }: ProgressProps): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const { id, status } = campaign;
  const acting = useAct();
  const asking = useSignal<'cancel' | 'remove' | null>(null);
  const params = { id };
  const move = (operation: 'pauseBlast' | 'resumeBlast' | 'cancelBlast'): Promise<void> =>
    acting.run(async () => {
      resource.put(await call(operation, { params }));
      asking.value = null;
    });
  const remove = (): Promise<void> =>
    acting.run(async () => {
      await call('deleteBlast', { params });
      route(`${BASE}/campaigns`);
    });
  const save = (): Promise<void> =>
    acting.run(async () => {
      const address = URL.createObjectURL(new Blob([await call('getBlastReport', { params })], { type: 'text/csv' }));
      const link = document.createElement('a');
      link.href = address;
      link.download = `campaign-${id}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    });
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
  const isAsking = asking.value;
  return (
    <>
      {acting.error.value && <Failure error={acting.error.value} />}
      <div class="buttons">
        {status === 'running' && (
          <button
            type="button"
            class="button"
            data-testid="campaign-pause"
            disabled={acting.isBusy.value}
            onClick={() => move('pauseBlast')}
          >
            {t.pause}
          </button>
        )}
        {status === 'paused' && (
          <button
            type="button"
            class="button first"
            data-testid="campaign-resume"
            disabled={acting.isBusy.value}
            onClick={() => move('resumeBlast')}
          >
            {t.resume}
          </button>
        )}
        {!isOver && (
          <button
            type="button"
            class="button danger"
            data-testid="campaign-cancel"
            aria-haspopup="dialog"
            onClick={() => (asking.value = 'cancel')}
          >
            {t.cancel}
          </button>
        )}
        <button type="button" class="button" disabled={acting.isBusy.value} onClick={save}>
          {t.report}
        </button>
        {(isOver || status === 'draft') && (
          <button type="button" class="button danger" aria-haspopup="dialog" onClick={() => (asking.value = 'remove')}>
            {t.remove}
          </button>
        )}
      </div>
      <Confirm
        title={isAsking === 'remove' ? t.remove : t.cancel}
        verb={isAsking === 'remove' ? t.remove : t.cancel}
        isDangerous
        isOpen={isAsking !== null}
        isBusy={acting.isBusy.value}
        onClose={() => (asking.value = null)}
        onConfirm={() => (isAsking === 'remove' ? remove() : move('cancelBlast'))}
      >
        <p>{isAsking === 'remove' ? t.removeAsk : t.cancelAsk}</p>
        <AsCode operation={isAsking === 'remove' ? 'deleteBlast' : 'cancelBlast'} input={{ params }} />
      </Confirm>
    </>
  );
}

const STATUSES = ['pending', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const;

function Recipients({ id, version }: { readonly id: string; readonly version: string }): JSX.Element {
  const t = words();
  const { query, path, route } = useLocation();
  const status = STATUSES.find((one) => one === query['status']);
  const place = placeIn(query);
  const asked = { limit: 100, ...(status && { status }), ...place };
  const found = useResource(`${id} ${JSON.stringify(asked)}`, (signal) =>
    call('listBlastRecipients', { params: { id }, query: asked }, { signal }),
  );
  useChanged(version, found.reload);
  return (
    <div class="stack">
      <div class="row apart">
        <h2>{t.list}</h2>
        <select
          class="fit"
          aria-label={t.status}
          value={status ?? ''}
          onChange={({ currentTarget: { value } }) => route(value === '' ? path : `${path}?status=${value}`)}
        >
          <option value="">{t.anyStatus}</option>
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {t.of[one]}
            </option>
          ))}
        </select>
      </div>
      <Loaded of={found}>
        {({ recipients, ...next }) =>
          recipients.length === 0 ? (
            <p class="soft">{t.noRecipients}</p>
          ) : (
            <>
              <section class="table-box" tabIndex={0} aria-label={t.list}>
                <table>
                  <thead>
                    <tr>
                      <th scope="col">{t.number}</th>
                      <th scope="col">{t.who}</th>
                      <th scope="col">{t.status}</th>
                      <th scope="col">{t.error}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {recipients.map((one) => (
                      <tr key={one.id} data-testid="recipient-row" data-status={one.status}>
                        <td class="figures">{one.phone ?? personText(one)}</td>
                        <td class="breaks">{one.name ?? ''}</td>
                        <td>{t.of[one.status]}</td>
                        <td class="breaks">{one.error ?? ''}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </section>
              <Pager path={`/campaigns/${id}`} query={{ status }} place={place} next={next} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

/** Runs when `version` is another one than before, not at first. */
function useChanged(version: string, run: () => void): void {
  const known = useRef(version);
  useEffect(() => {
    if (known.current === version) return;
    known.current = version;
    run();
  }, [version]);
}
