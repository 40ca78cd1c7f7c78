import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { person } from '../../state/session.ts';
import { readings } from '../../state/unread.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { DeviceBadge } from '../../ui/badge.tsx';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useKeys } from '../../ui/keys.ts';
import { useNews } from '../../ui/news.ts';
import { Failure } from '../../ui/states.tsx';
import { nameOfChat } from '../../words/person.ts';
import { chatActs } from './chat-acts.ts';
import { type Chat, isToRead, type Seen } from './chats.ts';
import { Details } from './details.tsx';
import { chatKey } from './list-state.ts';
import { addressOf } from './names.ts';
import type { Entry } from './thread.ts';
import { ThreadPane } from './thread-pane.tsx';
import { openThread } from './thread-state.ts';
import { typing } from './typing.ts';
import { words } from './words.ts';

type FullChat = Schemas['InboxChatWithMetadata'];

interface ChatPaneProps {
  readonly sessionId: string;
  readonly chatId: string;
  readonly listed: Chat | undefined;
  readonly device: Schemas['Session'] | undefined;
  readonly agents: readonly Schemas['Agent'][];
  readonly backTo: string;
  readonly onName: (name: string) => void;
  readonly onChat: (chat: Chat) => void;
}

export function ChatPane({ sessionId, chatId, listed, device, agents, backTo, onName, onChat }: ChatPaneProps): JSX.Element {
  const t = words();
  const params = { sessionId, chatId };
  const thread = useMemo(() => openThread(sessionId, chatId), [sessionId, chatId]);
  useEffect(() => thread.stop, [thread]);
  const full = useResource(`${sessionId} ${chatId}`, (signal) => call('getChat', { params }, { signal }));
  useNews(
    full,
    ({ type, session_id, data }) =>
      (type === 'chat.assigned' || type === 'chat.snooze_ended') && session_id === sessionId && data['chat_id'] === chatId,
  );
  const load = full.load.value;
  const chat: FullChat | null = load.state === 'loaded' ? load.data : null;
  const put = (next: FullChat): void => {
    full.put(next);
    onChat(next);
  };
  const consent = useConsent(chatId);
  const isOpen = useSignal(false);
  useEffect(() => {
    if (chat) onName(nameOfChat(chat));
  }, [chat?.chat_name, chat?.id]);
  useReading(params, newestIn(thread.thread.value.entries), listed?.unread_count ?? chat?.unread_count ?? 0, put);
  const acts = chat && chatActs({ chat, agents, put, reload: full.reload });
  const toggleStatus = (): void => void acts?.setStatus(chat?.status === 'resolved' ? 'open' : 'resolved');
  const toggleDetails = (): void => {
    isOpen.value = !isOpen.value;
  };
  useKeys({
    e: acts ? toggleStatus : undefined,
    a: acts ? () => void acts.assign(person.value?.agent_id ?? null) : undefined,
    ']': toggleDetails,
  });
  const noted = useResource(`notes ${sessionId} ${chatId} ${chat?.notes.length ?? 0} ${chat?.notes.at(-1) ?? ''}`, async (signal) =>
    chat === null || chat.notes.length === 0 ? { notes: [] } : call('listChatNotes', { params }, { signal }),
  );
  const notes = noted.load.value.state === 'loaded' ? noted.load.value.data.notes : [];
  const shown = chat ?? listed;
  const optOut = consent.record?.status === 'opted_out' ? { isRefused: consent.isRefused } : null;
  return (
    <>
      <section class="inbox-thread" aria-label={shown ? nameOfChat(shown) : chatId}>
        <ThreadHead {...{ chatId, chat, shown, device, backTo }} onResolve={toggleStatus} isOpen={isOpen.value} onDetails={toggleDetails} />
        <ThreadPane
          {...{ sessionId, chatId, thread, optOut, notes }}
          onNote={async (text) => put(await call('addChatNote', { params, body: { text } }))}
          onNoteGone={async (noteId) => {
            await call('deleteChatNote', { params: { ...params, noteId } });
            put(await call('getChat', { params }));
          }}
          chatName={shown?.chat_name ?? null}
          isConnected={device === undefined || device.status === 'connected'}
          hasPhone={device?.driver !== 'official'}
          clearedAt={chat?.cleared_until ?? null}
        />
      </section>
      <aside id="chat-details" class={isOpen.value ? 'inbox-details is-open' : 'inbox-details'} aria-label={t.details}>
        {load.state === 'failed' && <Failure error={load.error} onRetry={full.reload} />}
        {chat && acts && <Details {...{ chat, agents, acts }} consent={consent.record} onConsent={consent.reload} onChat={put} />}
      </aside>
    </>
  );
}

interface ThreadHeadProps extends Pick<ChatPaneProps, 'chatId' | 'device' | 'backTo'> {
  readonly chat: FullChat | null;
  readonly shown: Chat | FullChat | undefined;
  readonly onResolve: () => void;
  readonly isOpen: boolean;
  readonly onDetails: () => void;
}

function ThreadHead({ chatId, chat, shown, device, backTo, onResolve, isOpen, onDetails }: ThreadHeadProps): JSX.Element {
  const t = words();
  const doing = device && typing.value.get(chatKey(device.id, chatId));
  return (
    <div class="thread-head">
      <a class="button slim plain back" href={backTo}>
        <Icon name="left" />
        <span class="only-heard">{t.chats}</span>
      </a>
      <Avatar id={chatId} name={shown?.chat_name ?? ''} isGroup={shown?.is_group === 1} />
      <div class="thread-who">
        <h2 class="one-line">
          <bdi>{shown ? nameOfChat(shown) : chatId}</bdi>
        </h2>
        {device && (
          <p class="one-line small soft">
            {doing && <span class="typing">{t.doing[doing]} </span>}
            {nameOfDevice(device)}
          </p>
        )}
      </div>
      {device && device.status !== 'connected' && <DeviceBadge status={device.status} reason={device.reason} />}
      {chat && (
        <button type="button" class="button slim" data-testid="chat-resolve" onClick={onResolve}>
          {chat.status !== 'resolved' && <Icon small name="check" />}
          {chat.status === 'resolved' ? t.reopen : t.resolve}
        </button>
      )}
      <button
        type="button"
        class="button slim details-toggle"
        aria-expanded={isOpen}
        aria-controls="chat-details"
        data-testid="chat-details-toggle"
        onClick={onDetails}
      >
        {isOpen ? t.hideDetails : t.details}
      </button>
    </div>
  );
}

const newestIn = (entries: readonly Entry[]): string | undefined =>
  (entries.findLast(({ direction }) => direction === 'inbound') ?? entries.at(-1))?.id;

function useReading(
  params: { sessionId: string; chatId: string },
  last: string | undefined,
  unread: number,
  put: (chat: FullChat) => void,
): void {
  const seen = useRef<Seen | null>(null);
  useEffect(() => {
    const read = (): void => {
      if (document.hidden || last === undefined) return;
      const now = { chat: chatKey(params.sessionId, params.chatId), last };
      const isDue = isToRead(unread, seen.current, now);
      seen.current = now;
      if (!isDue) return;
      const done = (chat: FullChat): void => {
        put(chat);
        readings.value += 1;
      };
      call('readChat', { params }).then(done, () => {});
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [params.sessionId, params.chatId, last, unread > 0]);
}

function useConsent(chatId: string) {
  const phone = addressOf(chatId);
  const found = useResource(`consent ${phone ?? ''}`, async (signal) => {
    if (phone === null) return null;
    const [{ current }, { enforce_api }] = await Promise.all([
      call('getConsentHistory', { params: { phone } }, { signal }),
      call('getConsentConfig', {}, { signal }),
    ]);
    return { current, enforce_api };
  });
  useNews(found, ({ type, data }) => type === 'consent.changed' && JSON.stringify(data).includes(phone?.replace(/^\+|@.*$/g, '') ?? ' '));
  const load = found.load.value;
  const known = load.state === 'loaded' ? load.data : null;
  return { record: known?.current ?? null, isRefused: known?.enforce_api ?? false, reload: found.reload };
}
