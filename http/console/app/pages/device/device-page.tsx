import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { onLiveEvent } from '../../state/live.ts';
import { Page } from '../../ui/page.tsx';
import { isLoading, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { whenText } from '../../words/formats.ts';
import { offlineText } from '../../words/offline-reasons.ts';
import { OfficialNumber } from '../official/number.tsx';
import { Acts } from './acts.tsx';
import { Channels } from './channels.tsx';
import { Failed } from './failed.tsx';
import { Groups } from './groups.tsx';
import { Health } from './health.tsx';
import { Linking } from './linking.tsx';
import { words as networkWords } from './network-words.ts';
import { Part } from './part.tsx';
import { Queue } from './queue.tsx';
import { Settings } from './settings.tsx';
import { words } from './words.ts';

type Session = Schemas['Session'];

export function DevicePage({ params = {} }: RouteProps): JSX.Element {
  const t = words();
  const sessionId = params['sessionId'] ?? '';
  const device = useResource(sessionId, (signal) => call('getSession', { params: { sessionId } }, { signal }));
  useUpToDate(sessionId, device);
  const load = device.load.value;
  const session = load.state === 'loaded' ? load.data : null;
  return (
    <Page
      title={session?.name ?? session?.phone_display ?? t.title}
      within={[common().nav.devices, `${BASE}/devices`]}
      busy={isLoading(device)}
    >
      <Loaded of={device}>
        {(shown) => (
          <div class="stack">
            <Facts session={shown} />
            {shown.official && (
              <OfficialNumber key={`${shown.id} official`} session={shown} official={shown.official} onChange={device.reload} />
            )}
            {isToLink(shown) && <Linking key={shown.id} session={shown} onChange={device.reload} />}
            {shown.phone_number !== null && <Health sessionId={shown.id} status={shown.status} />}
            {shown.phone_number !== null && <Failed key={`${shown.id} failed`} sessionId={shown.id} />}
            {shown.phone_number !== null && <Queue key={`${shown.id} queue`} sessionId={shown.id} />}
            {shown.status === 'connected' && shown.driver === 'linked' && <OfNetwork key={`${shown.id} network`} sessionId={shown.id} />}
            <Settings key={`${shown.id} settings`} session={shown} onChange={device.reload} />
            <Acts session={shown} onChange={device.reload} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function OfNetwork({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const t = networkWords();
  return (
    <>
      <Part title={t.groups} sessionId={sessionId} needs="groups" testId="device-groups">
        <Groups sessionId={sessionId} />
      </Part>
      <Part title={t.channels} sessionId={sessionId} needs="channels" testId="device-channels">
        <Channels sessionId={sessionId} />
      </Part>
    </>
  );
}

const isToLink = ({ status, driver }: Session): boolean =>
  driver === 'linked' && (status === 'pending' || status === 'qr_ready' || status === 'failed');

const LOOK_MS = 2_000;

/** Also polls a device that is not connected, in case the event stream is down. */
function useUpToDate(sessionId: string, device: Resource<Session>): void {
  useEffect(
    () => onLiveEvent((event) => event.session_id === sessionId && !event.type.startsWith('message.') && device.reload()),
    [sessionId],
  );
  const load = device.load.value;
  const isChanging = load.state === 'loaded' && load.data.status !== 'connected';
  useEffect(() => {
    if (!isChanging) return;
    const timer = setInterval(() => document.hidden || device.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isChanging, sessionId]);
}

function Facts({ session }: { readonly session: Session }): JSX.Element {
  const t = words();
  const why = offlineText(session);
  const tone =
    session.status === 'connected' ? 'good' : session.status === 'failed' ? 'bad' : session.status === 'disconnected' ? 'warn' : 'calm';
  const known = [
    [t.number, session.phone_display],
    [t.name, session.wa_name],
    [t.since, session.connected_at === null ? null : whenText(session.connected_at)],
  ].filter(([, value]) => value !== null);
  return (
    <section class="card" aria-label={t.status}>
      <dl class="facts">
        <div>
          <dt>{t.status}</dt>
          <dd>
            <span class={`badge ${tone}`} data-testid="device-status" data-status={session.status}>
              {common().status[session.status]}
            </span>
          </dd>
        </div>
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {why !== null && (
        <p class="notice warn small" data-testid="device-reason">
          {why}
        </p>
      )}
      {session.restriction && (
        <p class="notice warn small">
          {t.restricted}
          {session.restriction.until !== null && `, ${t.until(whenText(session.restriction.until))}`}
        </p>
      )}
    </section>
  );
}
