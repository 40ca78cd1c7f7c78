import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { language } from '../../state/preferences.ts';
import { person } from '../../state/session.ts';
import { DeviceBadge } from '../../ui/badge.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RARELY_MS, useNews } from '../../ui/news.ts';
import { Page } from '../../ui/page.tsx';
import { isLoading, Loaded } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { wordsOf } from '../../words/words.ts';
import { NewConversation } from '../inbox/new-conversation.tsx';
import { Attention } from './attention.tsx';

const words = wordsOf({
  en: {
    title: (name: string) => `Hello, ${name}`,
    attention: 'Needs your attention',
    steps: 'Set up',
    stepsDone: 'Everything is set up.',
    done: 'Done',
    open: 'To do',
    devices: 'Devices',
    noDevices: 'No device yet. Link a phone to send and receive messages.',
    link: 'Link a device',
    all: 'All devices',
    today: 'Today',
    figures: { sent: 'Sent', received: 'Received', failed: 'Failed', unread: 'Unread chats' },
    more: 'All figures',
    quota: 'This month',
    messages: 'Messages',
    devicesUsed: 'Devices',
    aiReplies: 'AI replies',
    of: (used: string, quota: string) => `${used} of ${quota}`,
    plan: 'Plan',
  },
  id: {
    title: (name: string) => `Halo, ${name}`,
    attention: 'Perlu tindakan',
    steps: 'Penyiapan',
    stepsDone: 'Semuanya sudah siap.',
    done: 'Selesai',
    open: 'Belum',
    devices: 'Perangkat',
    noDevices: 'Belum ada perangkat. Tautkan ponsel untuk mengirim dan menerima pesan.',
    link: 'Tautkan perangkat',
    all: 'Semua perangkat',
    today: 'Hari ini',
    figures: { sent: 'Terkirim', received: 'Diterima', failed: 'Gagal', unread: 'Obrolan belum dibaca' },
    more: 'Semua angka',
    quota: 'Bulan ini',
    messages: 'Pesan',
    devicesUsed: 'Perangkat',
    aiReplies: 'Balasan AI',
    of: (used: string, quota: string) => `${used} dari ${quota}`,
    plan: 'Paket',
  },
});

/** Where the owner begins: first steps, devices, and what is used up. */
export function HomePage(): JSX.Element {
  const t = words();
  // Its titles come in the language chosen now.
  const steps = useResource(language.value, (signal) => call('getOnboarding', {}, { signal }));
  const attention = useResource('attention', (signal) => call('getAttention', {}, { signal }));
  const devices = useResource('devices', (signal) => call('listSessions', {}, { signal }));
  const usage = useResource('usage', (signal) => call('getUsage', {}, { signal }));
  const today = useResource('today', loadToday);
  useNews(today, ({ type }) => type.startsWith('message.'), { apartMs: RARELY_MS, isWaitedFor: false });
  useNews(attention, ({ type }) => /^(message\.failed|session\.|chat\.)/.test(type), { apartMs: RARELY_MS, isWaitedFor: false });
  useNews(devices, ({ type }) => type.startsWith('session.'));
  return (
    <Page
      title={t.title(person.value?.name ?? '')}
      actions={<Loaded of={devices}>{({ sessions }) => <NewConversation devices={sessions} look="button" />}</Loaded>}
      busy={[steps, attention, devices, usage, today].some((one) => isLoading<unknown>(one))}
    >
      <div class="columns">
        <div class="stack">
          <section class="card">
            <h2>{t.attention}</h2>
            <Loaded of={attention}>{({ items }) => <Attention items={items} />}</Loaded>
          </section>
          <section class="card stack" data-testid="today">
            <h2>{t.today}</h2>
            <Loaded of={today}>{(figures) => <Today figures={figures} />}</Loaded>
          </section>
        </div>
        <div class="stack">
          <section class="card">
            <h2>{t.steps}</h2>
            <Loaded of={steps}>{(data) => <Steps steps={data.steps} />}</Loaded>
          </section>
          <section class="card">
            <h2>{t.devices}</h2>
            <Loaded of={devices}>{({ sessions }) => <Devices sessions={sessions} />}</Loaded>
          </section>
          <section class="card">
            <h2>{t.quota}</h2>
            <Loaded of={usage}>{(data) => <Quota usage={data} />}</Loaded>
          </section>
        </div>
      </div>
    </Page>
  );
}

interface Figures {
  readonly sent: number;
  readonly received: number;
  readonly failed: number;
  /** Chats with something unread, as far as one page of them shows. */
  readonly unread: number;
}

const MOST_CHATS = 100;

async function loadToday(signal: AbortSignal): Promise<Figures> {
  const [{ days }, { chats }] = await Promise.all([
    call('getAnalyticsDaily', { query: { days: 7 } }, { signal }),
    call('listInbox', { query: { unread: true, limit: MOST_CHATS } }, { signal }),
  ]);
  const { sent = 0, received = 0, failed = 0 } = days.at(-1) ?? {};
  return { sent, received, failed, unread: chats.length };
}

function Today({ figures }: { readonly figures: Figures }): JSX.Element {
  const t = words();
  const { sent, received, failed, unread } = figures;
  return (
    <>
      <dl class="facts">
        {(
          [
            ['sent', sent],
            ['received', received],
            ['failed', failed],
          ] as const
        ).map(([name, count]) => (
          <div key={name}>
            <dt>{t.figures[name]}</dt>
            <dd class="figure-large">{numberText(count)}</dd>
          </div>
        ))}
        <div>
          <dt>{t.figures.unread}</dt>
          <dd class="figure-large">
            <a href={`${BASE}/inbox?unread=true`}>{unread === MOST_CHATS ? `${numberText(MOST_CHATS)}+` : numberText(unread)}</a>
          </dd>
        </div>
      </dl>
      <p>
        <a href={`${BASE}/analytics`}>{t.more}</a>
      </p>
    </>
  );
}

/** Where a step is done, as far as the console has a page for it. */
const PLACES: Readonly<Record<string, string>> = {
  profile: `${BASE}/settings/business`,
  pack: `${BASE}/settings/business`,
  device: `${BASE}/devices`,
  contacts: `${BASE}/contacts`,
  first_message: `${BASE}/inbox`,
};

function Steps({ steps }: Pick<Schemas['GetOnboardingResponse'], 'steps'>): JSX.Element {
  const t = words();
  if (steps.every(({ done }) => done)) return <p class="soft">{t.stepsDone}</p>;
  return (
    <ul class="check-list">
      {steps.map(({ step, title, done }) => {
        const place = PLACES[step];
        return (
          <li key={step} data-testid="setup-step" data-done={done}>
            <span class={done ? 'check-mark is-done' : 'check-mark'}>
              {done && <Icon name="check" />}
              <span class="only-heard">{done ? t.done : t.open}</span>
            </span>
            {place !== undefined && !done ? <a href={place}>{title}</a> : <span class={done ? 'soft' : ''}>{title}</span>}
          </li>
        );
      })}
    </ul>
  );
}

function Devices({ sessions }: Schemas['ListSessionsResponse']): JSX.Element {
  const t = words();
  return (
    <div class="stack">
      {sessions.length === 0 && <p class="soft">{t.noDevices}</p>}
      {sessions.slice(0, 5).map(({ id, name, phone_display, status, reason }) => (
        <div key={id} class="row apart">
          <a class="breaks" href={`${BASE}/devices/${id}`}>
            {name ?? phone_display ?? id}
          </a>
          <DeviceBadge status={status} reason={reason} />
        </div>
      ))}
      <p>
        <a class="button" href={`${BASE}/devices`}>
          {sessions.length === 0 ? t.link : t.all}
        </a>
      </p>
    </div>
  );
}

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
        <strong>{usage.plan}</strong>
      </li>
      {lines.map(({ name, used, limit }) => (
        <li key={name}>
          <div class="row apart">
            <span class="soft">{name}</span>
            <span class="figures">{t.of(numberText(used), numberText(limit))}</span>
          </div>
          {limit > 0 && <progress aria-hidden="true" max={limit} value={Math.min(used, limit)} />}
        </li>
      ))}
    </ul>
  );
}
