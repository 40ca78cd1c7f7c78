import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { wordsOf } from '../../words/words.ts';

type Item = Schemas['AttentionItem'];
type Kind = Item['kind'];

const words = wordsOf({
  en: {
    nothing: 'Nothing needs you right now.',
    since: (when: string) => `Since ${when}`,
    what: {
      failed_messages: (count: string) => `${count} failed messages`,
      device: (_count: string) => 'A device is offline',
      waiting_chats: (count: string) => `${count} chats wait for an answer`,
      quota: (left: string) => `${left} messages left this month`,
      store: (_count: string) => 'An online store has a problem',
      webhook: (_count: string) => 'A webhook fails',
      document: (_count: string) => 'A document could not be read',
      setup: (count: string) => `${count} steps left to set up`,
    },
    act: {
      failed_messages: 'Review',
      device: 'Check device',
      waiting_chats: 'Open chats',
      quota: 'See plan',
      store: 'Check store',
      webhook: 'Check webhook',
      document: 'Check document',
      setup: 'Go on',
    },
  },
  id: {
    nothing: 'Tidak ada yang perlu tindakan sekarang.',
    since: (when: string) => `Sejak ${when}`,
    what: {
      failed_messages: (count: string) => `${count} pesan gagal`,
      device: (_count: string) => 'Sebuah perangkat terputus',
      waiting_chats: (count: string) => `${count} percakapan menunggu jawaban`,
      quota: (left: string) => `Sisa ${left} pesan bulan ini`,
      store: (_count: string) => 'Sebuah toko online bermasalah',
      webhook: (_count: string) => 'Sebuah webhook gagal',
      document: (_count: string) => 'Sebuah dokumen tidak dapat dibaca',
      setup: (count: string) => `Tersisa ${count} langkah penyiapan`,
    },
    act: {
      failed_messages: 'Tinjau',
      device: 'Periksa perangkat',
      waiting_chats: 'Buka percakapan',
      quota: 'Lihat paket',
      store: 'Periksa toko',
      webhook: 'Periksa webhook',
      document: 'Periksa dokumen',
      setup: 'Lanjutkan',
    },
  },
});

const ICONS: Readonly<Record<Kind, IconName>> = {
  failed_messages: 'alert',
  device: 'phone',
  waiting_chats: 'clock',
  quota: 'gauge',
  store: 'shop',
  webhook: 'hook',
  document: 'note',
  setup: 'list',
};

function placeOf({ kind, ref }: Item): string {
  if (kind === 'device' && ref) return `${BASE}/devices/${ref.id}`;
  const pages: Readonly<Record<Kind, string>> = {
    failed_messages: '/inbox',
    device: '/devices',
    waiting_chats: '/inbox?status=open',
    quota: '/billing',
    store: '/stores',
    webhook: '/webhooks',
    document: '/ai',
    setup: '/settings/business',
  };
  return BASE + pages[kind];
}

/** What needs a person now, each with one way to it. */
export function Attention({ items }: Schemas['GetAttentionResponse']): JSX.Element {
  const t = words();
  if (items.length === 0) return <p class="soft">{t.nothing}</p>;
  return (
    <ul class="check-list">
      {items.map((item) => (
        <li key={`${item.kind} ${item.ref?.id}`} data-testid="attention-row" data-kind={item.kind}>
          <Icon name={ICONS[item.kind]} />
          <div class="grow">
            <p>
              <strong>{t.what[item.kind](numberText(item.count))}</strong>
            </p>
            {item.oldest_at !== null && <p class="small soft">{t.since(whenText(item.oldest_at))}</p>}
          </div>
          <a class="button slim" href={placeOf(item)}>
            {t.act[item.kind]}
          </a>
        </li>
      ))}
    </ul>
  );
}
