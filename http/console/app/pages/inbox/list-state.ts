import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { call } from '../../api/client.ts';
import { type ApiError, isTransient } from '../../api/request.ts';
import { errorOf } from '../../api/resource.ts';
import { type LiveEvent, onLiveEvent, onResync } from '../../state/live.ts';
import { type Chat, withChat, withFirstPage, withNews, withPage } from './chats.ts';

type InboxQuery = NonNullable<Parameters<typeof call<'listInbox'>>[1]['query']>;

const NAMES = ['status', 'q', 'session_id', 'agent_id', 'unread', 'tag', 'archived', 'pinned', 'snoozed'] as const;
export type Filters = Partial<Readonly<Record<(typeof NAMES)[number], string>>>;

export const filtersOf = (query: Readonly<Record<string, string>>): Filters =>
  Object.fromEntries(NAMES.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));

const STATUSES = ['open', 'pending', 'resolved'] as const;
const flag = (value: string | undefined): boolean | undefined => (value === undefined ? undefined : value === 'true');

function queryOf({ status, unread, archived, pinned, snoozed, ...rest }: Filters): InboxQuery {
  const known = STATUSES.find((one) => one === status);
  const flags = { unread: flag(unread), archived: flag(archived), pinned: flag(pinned) };
  return {
    ...rest,
    snoozed: snoozed === 'true',
    ...(known && { status: known }),
    ...(flags.unread !== undefined && { unread: flags.unread }),
    ...(flags.archived !== undefined && { archived: flags.archived }),
    ...(flags.pinned !== undefined && { pinned: flags.pinned }),
  };
}

export function addressWith(path: string, filters: Filters): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  return query.size > 0 ? `${path}?${query}` : path;
}

export interface ChatList {
  readonly chats: ReadonlySignal<readonly Chat[]>;
  readonly state: ReadonlySignal<'loading' | 'failed' | 'loaded'>;
  readonly error: ReadonlySignal<ApiError | null>;
  readonly hasMore: ReadonlySignal<boolean>;
  reload(): Promise<void>;
  more(): void;
  put(chat: Chat): void;
  stop(): void;
}

const PAGE = 100;
/** Delay before the list is reloaded, because events of other chats can come in bursts. */
const CALM_MS = 700;

/** New messages in the open chat do not count as unread. */
export const openChat = signal<string | null>(null);
export const chatKey = (sessionId: string, chatId: string): string => `${sessionId} ${chatId}`;

export function createChatList(filters: Filters): ChatList {
  const [chats, state, error] = [
    signal<readonly Chat[]>([]),
    signal<'loading' | 'failed' | 'loaded'>('loading'),
    signal<ApiError | null>(null),
  ];
  const older = signal<{ before: number; before_id: string } | null>(null);
  const hasMore = signal(false);
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;

  const ask = (from: { before: number; before_id: string } | null) =>
    call('listInbox', { query: { ...queryOf(filters), limit: PAGE, ...from } }, { signal: over.signal });

  const read = async (): Promise<void> => {
    try {
      const page = await ask(null);
      const rest =
        page.next_before === null || page.next_before_id === null ? null : { before: page.next_before, before_id: page.next_before_id };
      batch(() => {
        chats.value = withFirstPage(chats.value, page.chats, rest !== null);
        if (older.value === null || chats.value.length <= page.chats.length) older.value = rest;
        hasMore.value = older.value !== null;
        state.value = 'loaded';
        error.value = null;
      });
    } catch (cause) {
      if (over.signal.aborted) return;
      error.value = errorOf(cause);
      // If chats are already loaded, the banner reports that they are not live.
      if (state.value !== 'loaded') state.value = 'failed';
      if (isTransient(cause)) throw cause;
    }
  };
  const reload = (): Promise<void> => read().catch(() => {});

  const more = async (): Promise<void> => {
    if (isAsking || older.value === null) return;
    isAsking = true;
    try {
      const page = await ask(older.value);
      batch(() => {
        chats.value = withPage(chats.value, page.chats);
        older.value =
          page.next_before === null || page.next_before_id === null ? null : { before: page.next_before, before_id: page.next_before_id };
        hasMore.value = older.value !== null;
      });
    } catch {
      // Loading is retried at the next scroll.
    } finally {
      isAsking = false;
    }
  };

  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void reload();
    }, CALM_MS);
  };

  const receive = ({ type, session_id, occurred_at, data }: LiveEvent): void => {
    if (type === 'chat.assigned' || type === 'chat.snooze_ended') return soon();
    if (type !== 'message.received' && type !== 'message.sent') return;
    const { chat_id, body } = data;
    if (typeof chat_id !== 'string' || session_id === null) return;
    const isOpen = openChat.value === chatKey(session_id, chat_id) && !document.hidden;
    const text = typeof body === 'string' ? body : null;
    const next = withNews(chats.value, { session_id, chat_id, text, at: occurred_at, isInbound: type === 'message.received', isOpen });
    if (next) chats.value = next;
    // Reloads the list if the chat is new to it, if the event has no text, or if filters are set,
    // because an event does not show whether its chat matches them.
    if (!next || text === null || Object.keys(filters).length > 0) soon();
  };

  const endings = [onLiveEvent(receive), onResync(read)];
  void reload();
  return {
    ...{ chats, state, error, hasMore, reload },
    more: () => void more(),
    put(chat) {
      chats.value = withChat(chats.value, chat);
    },
    stop() {
      over.abort();
      clearTimeout(timer);
      for (const end of endings) end();
    },
  };
}
