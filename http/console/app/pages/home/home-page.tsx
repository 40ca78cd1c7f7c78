import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { language } from '../../state/preferences.ts';
import { person } from '../../state/session.ts';
import { zone } from '../../state/zone.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { DeviceBadge } from '../../ui/badge.tsx';
import { Bar } from '../../ui/bar.tsx';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import { markOf } from '../../ui/initials.ts';
import { RARELY_MS, useNews } from '../../ui/news.ts';
import { Page } from '../../ui/page.tsx';
import { isLoading, Loaded } from '../../ui/states.tsx';
import { cityOf, clockText, longDateText, numberText } from '../../words/formats.ts';
import { localClock } from '../../words/moment.ts';
import { NewConversation } from '../inbox/new-conversation.tsx';
import { Attention } from './attention.tsx';
import { Sending } from './sending.tsx';
import { SetUp } from './set-up.tsx';
import { loadToday, Today } from './today.tsx';
import { words } from './words.ts';

const dataOf = <T,>({ load }: Resource<T>): T | null => (load.value.state === 'loaded' ? load.value.data : null);

export function HomePage(): JSX.Element {
  const t = words();
  // The gateway returns the titles in the current language, so they are reloaded when it changes.
  const steps = useResource(language.value, (signal) => call('getOnboarding', {}, { signal }));
  const attention = useResource('attention', (signal) => call('getAttention', {}, { signal }));
  const devices = useResource('devices', (signal) => call('listSessions', {}, { signal }));
  const usage = useResource('usage', (signal) => call('getUsage', {}, { signal }));
  const today = useResource('today', loadToday);
  const running = useResource('running', (signal) => call('listBlasts', { query: { status: 'running', limit: 3 } }, { signal }));
  useNews(today, ({ type }) => type.startsWith('message.'), { apartMs: RARELY_MS, isWaitedFor: false });
  useNews(attention, ({ type }) => /^(message\.failed|session\.|chat\.)/.test(type), { apartMs: RARELY_MS, isWaitedFor: false });
  useNews(running, ({ type }) => type.startsWith('blast.'), { apartMs: RARELY_MS, isWaitedFor: false });
  useNews(devices, ({ type }) => type.startsWith('session.'));
  return (
    <Page
      title={greeting(person.value?.name ?? '')}
      about={clock()}
      actions={
        <>
          <Loaded of={devices}>{({ sessions }) => <NewConversation devices={sessions} look="button" />}</Loaded>
          <a class="button first" href={`${BASE}/campaigns/new`}>
            <Icon name="plus" />
            {t.newCampaign}
          </a>
        </>
      }
      busy={[steps, attention, devices, usage, today, running].some((one) => isLoading<unknown>(one))}
    >
      <div class="home">
        <div class="stack">
          <section class="card stack">
            <div class="card-head">
              <h2>{t.attention}</h2>
            </div>
            <Loaded of={attention}>
              {({ items }) => <Attention items={items} devices={dataOf(devices)?.sessions ?? []} usage={dataOf(usage)} />}
            </Loaded>
          </section>
          <section class="stack" data-testid="today">
            <div class="card-head">
              <h2>{t.today}</h2>
              <a class="small" href={`${BASE}/analytics`}>
                {t.more}
              </a>
            </div>
            <Loaded of={today}>{(figures) => <Today figures={figures} />}</Loaded>
          </section>
          <Loaded of={running}>{({ blasts }) => <Sending blasts={blasts} />}</Loaded>
        </div>
        <div class="stack">
          <Loaded of={steps}>{(data) => <SetUp steps={data.steps} />}</Loaded>
          <section class="card stack">
            <Loaded of={devices}>{({ sessions }) => <Devices sessions={sessions} />}</Loaded>
          </section>
          <section class="card stack">
            <h2>{t.quota}</h2>
            <Loaded of={usage}>{(data) => <Quota usage={data} />}</Loaded>
          </section>
        </div>
      </div>
    </Page>
  );
}

function greeting(name: string): string {
  const { greetings } = words();
  const hour = Number(localClock(Date.now(), zone.value).slice(0, 2));
  if (hour >= 4 && hour < 11) return greetings.morning(name);
  return hour >= 11 && hour < 18 ? greetings.afternoon(name) : greetings.evening(name);
}

function clock(): string {
  const now = Date.now();
  return words().clock(longDateText(now), clockText(now), cityOf(zone.value));
}

const isNamed = ({ name, wa_name, phone_display }: Schemas['Session']): boolean => Boolean(name ?? wa_name ?? phone_display);

function Devices({ sessions }: Schemas['ListSessionsResponse']): JSX.Element {
  const t = words();
  return (
    <>
      <div class="card-head">
        <h2>{t.devices}</h2>
        {sessions.length > 0 && (
          <a class="small" href={`${BASE}/devices`}>
            {t.all}
          </a>
        )}
      </div>
      {sessions.length === 0 && (
        <>
          <p class="soft">{t.noDevices}</p>
          <p>
            <a class="button first" href={`${BASE}/devices`}>
              {t.link}
            </a>
          </p>
        </>
      )}
      {sessions.length > 0 && (
        <ul class="rows">
          {sessions.slice(0, 5).map((session) => (
            <li key={session.id}>
              <Avatar id={session.id} name="" letters={isNamed(session) ? markOf(nameOfDevice(session)) : ''} />
              <div class="grow">
                <div class="row">
                  <a class="breaks" href={`${BASE}/devices/${session.id}`}>
                    {isNamed(session) ? nameOfDevice(session) : t.newDevice}
                  </a>
                  <DeviceBadge status={session.status} reason={session.reason} />
                </div>
                {session.name !== null && session.phone_display && (
                  <p class="small meta">
                    <bdi class="tel">{session.phone_display}</bdi>
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const NEARLY_FULL = 0.8;

function Quota({ usage }: { readonly usage: Schemas['Usage'] }): JSX.Element {
  const t = words();
  const lines = [
    { name: t.messages, used: usage.messages.used, limit: usage.messages.quota },
    { name: t.devicesUsed, ...usage.devices },
    { name: t.aiReplies, ...usage.ai_replies },
  ];
  return (
    <ul class="stack">
      <li class="row apart">
        <span class="soft">{t.plan}</span>
        <strong class="plan-name">{usage.plan}</strong>
      </li>
      {lines.map(({ name, used, limit }) => (
        <li key={name} class="stack-small">
          <div class="row apart small">
            <span>{name}</span>
            <span class="figures">{t.of(numberText(used), numberText(limit))}</span>
          </div>
          {limit > 0 && <Bar value={used} max={limit} tone={used >= NEARLY_FULL * limit ? 'warn' : undefined} />}
        </li>
      ))}
    </ul>
  );
}
