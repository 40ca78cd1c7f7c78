import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { RARELY_MS, useNews } from '../../ui/news.ts';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { words } from './words.ts';

type Delivery = Schemas['WebhookDelivery'];

interface DeliveriesProps {
  readonly webhooks: readonly Schemas['Webhook'][];
  readonly asked: number;
}

const STATUSES = ['pending', 'delivered', 'failed'] as const;
const LOOK_MS = 1_500;

export function Deliveries({ webhooks, asked }: DeliveriesProps): JSX.Element {
  const t = words();
  const { query, path, route } = useLocation();
  const status = STATUSES.find((one) => one === query['status']);
  const webhookId = query['webhook_id'];
  const filters = { ...(status && { status }), ...(webhookId && { webhook_id: webhookId }) };
  const place = placeIn(query);
  const key = JSON.stringify({ ...filters, ...place });
  const found = useResource(key, (signal) => call('listDeliveries', { query: { ...filters, ...place } }, { signal }));
  useNews(found, ({ type }) => webhooks.some(({ events }) => events.some((one) => one === type)), {
    apartMs: RARELY_MS,
    isWaitedFor: false,
  });
  const load = found.load.value;
  const isUnderWay = load.state === 'loaded' && load.data.deliveries.some((one) => one.status === 'pending');
  useEffect(() => found.reload(), [asked]);
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => !document.hidden && found.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isUnderWay, key]);
  const filter = (next: Readonly<Record<string, string>>): void => {
    const chosen = new URLSearchParams(Object.entries({ ...filters, ...next }).filter(([, value]) => value !== ''));
    route(chosen.size > 0 ? `${path}?${chosen}` : path);
  };
  return (
    <section class="stack" aria-label={t.deliveries}>
      <div class="row apart">
        <h2>{t.deliveries}</h2>
        <div class="row">
          <select
            class="fit"
            aria-label={t.status}
            data-testid="filter-status"
            value={status ?? ''}
            onChange={(event) => filter({ status: event.currentTarget.value })}
          >
            <option value="">{t.anyStatus}</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {t.statuses[one]}
              </option>
            ))}
          </select>
          {webhooks.length > 1 && (
            <select
              class="fit of-address"
              aria-label={t.webhook}
              value={webhookId ?? ''}
              onChange={(event) => filter({ webhook_id: event.currentTarget.value })}
            >
              <option value="">{t.anyWebhook}</option>
              {webhooks.map(({ id, url }) => (
                <option key={id} value={id}>
                  {url}
                </option>
              ))}
            </select>
          )}
          {webhooks.length > 0 && <Replay webhooks={webhooks} onDone={found.reload} />}
        </div>
      </div>
      <Loaded of={found}>
        {({ deliveries, ...next }) => (
          <>
            <Listing of={deliveries} empty={<p class="soft">{next.next_before === null ? t.noDeliveries : t.noneHere}</p>}>
              {(one) => (
                <li key={one.id}>
                  <Row delivery={one} onChanged={found.reload} />
                </li>
              )}
            </Listing>
            <Pager path="/webhooks" query={filters} place={place} next={next} />
          </>
        )}
      </Loaded>
    </section>
  );
}

const TONES = { pending: 'calm', delivered: 'good', failed: 'bad' } as const;

function Row({ delivery, onChanged }: { readonly delivery: Delivery; readonly onChanged: () => void }): JSX.Element {
  const t = words();
  const acting = useAct();
  const { id, event, event_id, status, created_at, next_attempt_at, attempts } = delivery;
  const again = (): Promise<void> =>
    acting.run(async () => {
      await call('redeliver', { params: { id } });
      onChanged();
    });
  return (
    <details class="delivery" data-testid="delivery-row" data-status={status} data-delivery-id={id}>
      <summary>
        <code class="grow breaks">{event}</code>
        <span class="small soft">{whenText(created_at)}</span>
        <Badge tone={TONES[status]} text={t.statuses[status]} />
      </summary>
      <div class="stack delivery-body">
        <p class="small soft breaks">
          {t.event}: {event_id}
        </p>
        {attempts.length === 0 && <p class="small soft">{t.noAttempts}</p>}
        <ol class="stack">
          {attempts.map((one, nth) => (
            <Attempt key={one.at} attempt={one} nth={nth + 1} />
          ))}
        </ol>
        <Payload id={id} />
        {status === 'pending' && next_attempt_at !== null && <p class="small soft">{t.nextAt(whenText(next_attempt_at))}</p>}
        {acting.error.value && <Failure error={acting.error.value} onRetry={again} />}
        <div>
          <button type="button" class="button slim" data-testid="redeliver" disabled={acting.isBusy.value} onClick={again}>
            {t.redeliver}
          </button>
        </div>
      </div>
    </details>
  );
}

function Payload({ id }: { readonly id: string }): JSX.Element {
  const t = words();
  const wasOpened = useSignal(false);
  return (
    <details data-testid="delivery-payload" onToggle={(event) => (wasOpened.value ||= event.currentTarget.open)}>
      <summary class="small">{t.payload}</summary>
      {wasOpened.value && <Sent id={id} />}
    </details>
  );
}

function Sent({ id }: { readonly id: string }): JSX.Element {
  const t = words();
  const found = useResource(id, (signal) => call('getDelivery', { params: { id } }, { signal }));
  return (
    <Loaded of={found}>
      {({ payload, event_id }) => (
        <section class="code" tabIndex={0} aria-label={`${t.payload} ${event_id}`}>
          <pre>{payload}</pre>
        </section>
      )}
    </Loaded>
  );
}

function Attempt({ attempt, nth }: { readonly attempt: Schemas['WebhookAttempt']; readonly nth: number }): JSX.Element {
  const t = words();
  const { at, response_status, error, duration_ms, body } = attempt;
  const isGood = response_status !== null && response_status >= 200 && response_status < 300;
  return (
    <li class="stack" data-testid="delivery-attempt" data-status={response_status ?? ''}>
      <div class="row small">
        <strong>{t.attempt(nth)}</strong>
        <Badge tone={isGood ? 'good' : 'bad'} text={response_status === null ? t.noAnswer : t.answered(response_status)} />
        <span class="soft figures">{t.took(numberText(duration_ms))}</span>
        <span class="soft">{whenText(at)}</span>
      </div>
      {error !== null && <p class="small breaks">{error}</p>}
      {body !== null && (
        <section class="code" tabIndex={0} aria-label={`${t.body}, ${t.attempt(nth)}`}>
          <pre>{body === '' ? t.emptyBody : body}</pre>
        </section>
      )}
    </li>
  );
}

const HOURS = [1, 6, 24, 72];

function Replay({ webhooks, onDone }: { readonly webhooks: readonly Schemas['Webhook'][]; readonly onDone: () => void }): JSX.Element {
  const t = words();
  const acting = useAct();
  const isOpen = useSignal(false);
  const [webhook, hours, count] = [useSignal(webhooks[0]?.id ?? ''), useSignal(24), useSignal<number | null>(null)];
  const replay = (): Promise<void> =>
    acting.run(async () => {
      const since = Date.now() - hours.value * 3_600_000;
      count.value = (await call('replayDeliveries', { body: { webhook_id: webhook.value, since } })).count;
      isOpen.value = false;
      onDone();
    });
  return (
    <>
      <button
        type="button"
        class="button slim"
        aria-haspopup="dialog"
        onClick={() => {
          count.value = null;
          isOpen.value = true;
        }}
      >
        {t.replay}
      </button>
      <span role="status" class="small soft">
        {count.value === null ? '' : t.replayed(count.value)}
      </span>
      <Confirm
        title={t.replay}
        verb={t.replay}
        isOpen={isOpen.value}
        isBusy={acting.isBusy.value}
        onClose={() => (isOpen.value = false)}
        onConfirm={replay}
      >
        <div class="form">
          <p>{t.replayAbout}</p>
          <select aria-label={t.webhook} value={webhook.value} onChange={(event) => (webhook.value = event.currentTarget.value)}>
            {webhooks.map(({ id, url }) => (
              <option key={id} value={id}>
                {url}
              </option>
            ))}
          </select>
          <select aria-label={t.since} value={String(hours.value)} onChange={(event) => (hours.value = Number(event.currentTarget.value))}>
            {HOURS.map((one) => (
              <option key={one} value={String(one)}>
                {t.hours(one)}
              </option>
            ))}
          </select>
          {acting.error.value && <Failure error={acting.error.value} />}
        </div>
      </Confirm>
    </>
  );
}
