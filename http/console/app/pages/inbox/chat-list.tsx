import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { BASE } from '../../../pages.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { markOf } from '../../ui/initials.ts';
import { Failure } from '../../ui/states.tsx';
import { windowOf } from '../../ui/window-of.ts';
import { timeText } from '../../words/formats.ts';
import { nameOfChat } from '../../words/person.ts';
import type { Chat } from './chats.ts';
import { addressWith, type ChatList, chatKey, type Filters } from './list-state.ts';
import { typing } from './typing.ts';
import { words } from './words.ts';

const AROUND = 10;
/** The list is rendered again after scrolling this many rows, so AROUND must be greater. */
const STRIDE = 5;
const NEAR_END = 30;

interface ChatRowsProps {
  readonly list: ChatList;
  readonly filters: Filters;
  readonly current: string | null;
  readonly deviceNames: ReadonlyMap<string, string>;
}

export function ChatRows({ list, filters, current, deviceNames }: ChatRowsProps): JSX.Element {
  const t = words();
  const box = useRef<HTMLUListElement>(null);
  const place = useSignal({ top: 0, height: 800 });
  const rowHeight = useSignal(68);
  const chats = list.chats.value;
  const { from, to } = windowOf(chats.length, rowHeight.value, place.value.top, place.value.height, AROUND);

  useLayoutEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('li:not(.spacer)');
    if (row && row.offsetHeight > 0 && row.offsetHeight !== rowHeight.value) rowHeight.value = row.offsetHeight;
  });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = (): void => {
      const stride = STRIDE * rowHeight.peek();
      const [top, height] = [element.scrollTop - (element.scrollTop % stride), element.clientHeight];
      const before = place.peek();
      if (top !== before.top || height !== before.height) place.value = { top, height };
    };
    const watch = new ResizeObserver(look);
    watch.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  useEffect(() => {
    if (list.hasMore.value && to > chats.length - NEAR_END) list.more();
  }, [to, chats.length, list.hasMore.value]);

  const step = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const row = document.activeElement?.closest('li');
    const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
    const link = next?.querySelector('a');
    if (!link) return;
    event.preventDefault();
    link.focus();
  };

  return (
    <>
      {list.error.value && list.state.value === 'failed' && <Failure error={list.error.value} onRetry={() => void list.reload()} />}
      <ul ref={box} class="chat-list" data-testid="chat-list" aria-label={t.chats} onKeyDown={step}>
        {from > 0 && <li class="spacer" aria-hidden="true" style={{ blockSize: `${from * rowHeight.value}px` }} />}
        {chats.slice(from, to).map((chat) => (
          <Row
            key={chat.id}
            chat={chat}
            href={addressWith(`${BASE}/inbox/${chat.session_id}/${encodeURIComponent(chat.chat_id)}`, filters)}
            isCurrent={current === chatKey(chat.session_id, chat.chat_id)}
            deviceName={deviceNames.size > 1 ? deviceNames.get(chat.session_id) : undefined}
          />
        ))}
        {to < chats.length && <li class="spacer" aria-hidden="true" style={{ blockSize: `${(chats.length - to) * rowHeight.value}px` }} />}
      </ul>
    </>
  );
}

interface RowProps {
  readonly chat: Chat;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly deviceName: string | undefined;
}

function Row({ chat, href, isCurrent, deviceName }: RowProps): JSX.Element {
  const t = words();
  const doing = typing.value.get(chatKey(chat.session_id, chat.chat_id));
  return (
    <li>
      <a
        class={chat.unread_count > 0 ? 'chat-row is-unread' : 'chat-row'}
        href={href}
        data-testid="chat-row"
        data-chat-id={chat.chat_id}
        data-session-id={chat.session_id}
        data-status={chat.status}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <Avatar
          id={chat.chat_id}
          name={chat.chat_name ?? ''}
          isGroup={chat.is_group === 1}
          mark={deviceName === undefined ? undefined : markOf(deviceName)}
        />
        <span class="chat-head">
          <strong class="chat-name">
            <bdi>{nameOfChat(chat)}</bdi>
          </strong>
          {deviceName !== undefined && <span class="only-heard">{deviceName}</span>}
          <time class="small soft" dateTime={new Date(chat.last_message_at).toISOString()}>
            {timeText(chat.last_message_at)}
          </time>
        </span>
        <span class="chat-last">
          {doing ? (
            <span class="one-line typing">{t.doing[doing]}</span>
          ) : (
            <span class="one-line soft">
              <bdi>{chat.last_message ?? ''}</bdi>
            </span>
          )}
          {chat.status !== 'open' && <span class="small soft">{t.statuses[chat.status]}</span>}
          {chat.unread_count > 0 && (
            <span class="count">
              <span aria-hidden="true">{chat.unread_count > 99 ? '99+' : chat.unread_count}</span>
              <span class="only-heard">{t.unreadCount(chat.unread_count)}</span>
            </span>
          )}
        </span>
      </a>
    </li>
  );
}
