import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { addressWith } from '../../ui/address.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { timeText } from '../../words/formats.ts';
import { personText } from '../../words/person.ts';
import { reasonText } from './reasons.ts';
import { words } from './words.ts';

type Recipient = Schemas['BlastRecipient'];

const STATUSES = ['pending', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const;
const TONES = {
  pending: 'calm',
  queued: 'calm',
  sent: 'calm',
  delivered: 'good',
  read: 'info',
  failed: 'bad',
  skipped: 'warn',
} as const;

export function Recipients({ id, version }: { readonly id: string; readonly version: string }): JSX.Element {
  const t = words();
  const { query, route } = useLocation();
  const status = STATUSES.find((one) => one === query['status']);
  const filter = { status, q: query['q'], reason: query['reason'] };
  const place = placeIn(query);
  const asked = {
    limit: 50,
    ...(status && { status }),
    ...(filter.q && { q: filter.q }),
    ...(filter.reason && { reason: filter.reason }),
    ...place,
  };
  const found = useResource(`${id} ${JSON.stringify(asked)}`, (signal) =>
    call('listBlastRecipients', { params: { id }, query: asked }, { signal }),
  );
  useChanged(version, found.reload);
  const path = `/campaigns/${id}`;
  const show = (next: Readonly<Record<string, string | undefined>>, isReplaced = false): void =>
    route(addressWith(path, { ...filter, ...next }), isReplaced);
  return (
    <section class="card table-card" aria-label={t.list}>
      <div class="row apart card-top">
        <h2>{t.list}</h2>
        <div class="row">
          <SearchField label={t.find} q={filter.q ?? ''} onSearch={(q) => show({ q }, true)} />
          <select
            class="fit"
            aria-label={t.status}
            value={status ?? ''}
            onChange={({ currentTarget: { value } }) => show({ status: value, reason: undefined })}
          >
            <option value="">{t.anyStatus}</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {t.of[one]}
              </option>
            ))}
          </select>
          {filter.reason && (
            <button type="button" class="button slim" data-testid="reason-clear" onClick={() => show({ reason: undefined })}>
              {t.onlyReason(reasonText(filter.reason))} ×
            </button>
          )}
        </div>
      </div>
      <Loaded of={found}>
        {({ recipients, ...next }) =>
          recipients.length === 0 ? (
            <p class="soft card-top">{t.noRecipients}</p>
          ) : (
            <>
              <div class="table-box">
                <table class="folding">
                  <thead>
                    <tr>
                      <th scope="col">{t.recipient}</th>
                      <th scope="col">{t.status}</th>
                      <th scope="col">{t.error}</th>
                      <th scope="col" class="end">
                        {t.at}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {recipients.map((one) => (
                      <Row key={one.id} recipient={one} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager path={path} query={filter} place={place} next={next} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function Row({ recipient }: { readonly recipient: Recipient }): JSX.Element {
  const { id, name, status, error } = recipient;
  const at = recipient.read_at ?? recipient.delivered_at ?? recipient.sent_at;
  const number = personText(recipient);
  return (
    <tr data-testid="recipient-row" data-status={status}>
      <td>
        <span class="person">
          <Avatar id={recipient.phone ?? recipient.lid ?? id} name={name ?? ''} />
          <span>
            <strong class="breaks">
              <bdi>{name ?? number}</bdi>
            </strong>
            {name !== null && <bdi class="tel tiny meta">{number}</bdi>}
          </span>
        </span>
      </td>
      <td>
        <Badge tone={TONES[status]} text={words().of[status]} />
      </td>
      <td class={error === null ? 'breaks whole wide-only' : 'breaks whole'}>{error !== null && reasonText(error)}</td>
      <td class="end meta figures wide-only">{at !== null && timeText(at)}</td>
    </tr>
  );
}

function useChanged(version: string, run: () => void): void {
  const known = useRef(version);
  useEffect(() => {
    if (known.current === version) return;
    known.current = version;
    run();
  }, [version]);
}
