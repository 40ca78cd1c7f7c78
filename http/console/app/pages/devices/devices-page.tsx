import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge, DeviceBadge } from '../../ui/badge.tsx';
import { Field } from '../../ui/field.tsx';
import { useNews } from '../../ui/news.ts';
import { Opener } from '../../ui/opener.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { wordsOf } from '../../words/words.ts';
import { ConnectOfficial } from '../official/connect.tsx';
import { words as official } from '../official/words.ts';

const words = wordsOf({
  en: {
    title: 'Devices',
    about: 'Each device is one phone number that sends and receives messages.',
    add: 'Link a device',
    name: 'Name of the device',
    nameHint: 'Only you see this, for example Front desk. Optional.',
    none: 'No devices yet',
    noneAbout: 'Link a phone to send and receive messages with its number here.',
    since: (when: string) => `since ${when}`,
    unnamed: 'New device',
    paused: 'Paused by plan limit',
    restricted: 'Restricted',
    officialAbout:
      'A number on the vendor’s business platform: a lower risk of bans, templates for first messages, and a price per message.',
  },
  id: {
    title: 'Perangkat',
    about: 'Setiap perangkat adalah satu nomor telepon yang mengirim dan menerima pesan.',
    add: 'Tautkan perangkat',
    name: 'Nama perangkat',
    nameHint: 'Hanya Anda yang melihatnya, misalnya Meja depan. Opsional.',
    none: 'Belum ada perangkat',
    noneAbout: 'Tautkan ponsel untuk mengirim dan menerima pesan dengan nomornya di sini.',
    since: (when: string) => `sejak ${when}`,
    unnamed: 'Perangkat baru',
    paused: 'Dijeda karena batas paket',
    restricted: 'Dibatasi',
    officialAbout: 'Nomor di platform bisnis penyedia: risiko blokir lebih kecil, templat untuk pesan pertama, dan harga per pesan.',
  },
});

export function DevicesPage(): JSX.Element {
  const t = words();
  const devices = useResource('devices', (signal) => call('listSessions', {}, { signal }));
  useNews(devices, ({ type }) => type.startsWith('session.'));
  return (
    <Page title={t.title} about={t.about}>
      <div class="stack">
        <Loaded of={devices}>
          {({ sessions }) => (sessions.length === 0 ? <Empty title={t.none} about={t.noneAbout} /> : <List sessions={sessions} />)}
        </Loaded>
        <NewDevice />
        <section class="card stack">
          <h2>{official().connect}</h2>
          <p class="soft small">{t.officialAbout}</p>
          <div class="row">
            <Opener label={official().connect} look="button" testId="connect-official">
              {(isOpen, close) => <ConnectOfficial isOpen={isOpen} onClose={close} />}
            </Opener>
          </div>
        </section>
      </div>
    </Page>
  );
}

function List({ sessions }: Schemas['ListSessionsResponse']): JSX.Element {
  const t = words();
  return (
    <ul class="list">
      {sessions.map(({ id, name, phone_display, status, reason, connected_at, paused, restriction }) => (
        <li key={id}>
          <a href={`${BASE}/devices/${id}`}>
            <span class="grow">
              <strong class="breaks">{name ?? phone_display ?? t.unnamed}</strong>
              {name !== null && phone_display !== null && <span class="soft small"> · {phone_display}</span>}
            </span>
            {status === 'connected' && connected_at !== null && <span class="soft small">{t.since(whenText(connected_at))}</span>}
            {restriction && <Badge tone="warn" text={t.restricted} />}
            {paused ? <Badge tone="warn" text={t.paused} /> : <DeviceBadge status={status} reason={reason} />}
          </a>
        </li>
      ))}
    </ul>
  );
}

function NewDevice(): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const name = useSignal('');
  const making = useAct();
  const body = name.value === '' ? {} : { name: name.value };
  const make = (): Promise<void> =>
    making.run(async () => {
      const { id } = await call('createSession', { body });
      route(`${BASE}/devices/${id}`);
    });
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <h2>{t.add}</h2>
      <Field
        label={t.name}
        hint={t.nameHint}
        value={name.value}
        maxLength={64}
        autocomplete="off"
        onValue={(value) => (name.value = value)}
      />
      {making.error.value && <Failure error={making.error.value} onRetry={make} />}
      <div class="row apart">
        <button type="submit" class="button first" data-testid="new-device" disabled={making.isBusy.value}>
          {t.add}
        </button>
        <AsCode operation="createSession" input={{ body }} />
      </div>
    </form>
  );
}
