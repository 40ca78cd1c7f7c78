import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { numberText, timeText } from '../../words/formats.ts';
import { words } from './words.ts';

type Item = Schemas['AttentionItem'];
type Kind = Item['kind'];

const LOOKS: Readonly<Record<Kind, { readonly icon: IconName; readonly tone: 'bad' | 'warn' | 'info' | 'accent' }>> = {
  failed_messages: { icon: 'alert', tone: 'bad' },
  device: { icon: 'phone', tone: 'warn' },
  waiting_chats: { icon: 'clock', tone: 'info' },
  quota: { icon: 'gauge', tone: 'accent' },
  store: { icon: 'shop', tone: 'warn' },
  webhook: { icon: 'hook', tone: 'warn' },
  document: { icon: 'note', tone: 'warn' },
  setup: { icon: 'list', tone: 'accent' },
};

function placeOf({ kind, ref }: Item): string {
  if (ref?.kind === 'session') return `${BASE}${kind === 'waiting_chats' ? `/inbox?session_id=${ref.id}` : `/devices/${ref.id}`}`;
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

interface AttentionProps {
  readonly items: readonly Item[];
  readonly devices: readonly Schemas['Session'][];
  readonly usage: Schemas['Usage'] | null;
}

export function Attention({ items, devices, usage }: AttentionProps): JSX.Element {
  const t = words();
  if (items.length === 0)
    return (
      <p class="calm-line">
        <Icon name="done" />
        {t.nothing}
      </p>
    );
  const nameOf = ({ ref }: Item): string | null => {
    const device = ref?.kind === 'session' ? devices.find(({ id }) => id === ref.id) : undefined;
    return device ? nameOfDevice(device) : null;
  };
  return (
    <ul class="rows">
      {items.map((item) => (
        <li key={`${item.kind} ${item.ref?.id}`} data-testid="attention-row" data-kind={item.kind}>
          <span class={`sign ${LOOKS[item.kind].tone}`}>
            <Icon name={LOOKS[item.kind].icon} />
          </span>
          <div class="grow">
            <strong class="breaks">{t.what[item.kind](numberText(item.count), nameOf(item))}</strong>
            <Below item={item} usage={usage} />
          </div>
          <a class="button slim" href={placeOf(item)}>
            {t.act[item.kind]}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Below({ item, usage }: { readonly item: Item } & Pick<AttentionProps, 'usage'>): JSX.Element | null {
  const t = words();
  const { kind, oldest_at } = item;
  if (kind === 'quota')
    return usage && <p class="small soft">{t.quotaUsed(numberText(usage.messages.used), numberText(usage.messages.quota))}</p>;
  if (oldest_at === null) return null;
  const when = timeText(oldest_at);
  return <p class="small soft">{kind === 'failed_messages' || kind === 'waiting_chats' ? t.oldest(when) : t.since(when)}</p>;
}
