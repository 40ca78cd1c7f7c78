import { type ReadonlySignal, signal } from '@preact/signals';
import { call } from '../../api/client.ts';
import { type ApiError, isTransient } from '../../api/request.ts';
import { errorOf } from '../../api/resource.ts';
import { type LiveEvent, onLiveEvent, onResync } from '../../state/live.ts';
import { isSending, onAccepted } from '../../state/outbox.ts';
import { type AskedPhone, phoneHistory } from './phone-history.ts';
import {
  EMPTY,
  type Entry,
  isJoined,
  kindIn,
  merged,
  type Page,
  statusIn,
  type Thread,
  withNewest,
  withOlder,
  withStatus,
} from './thread.ts';

export interface OpenThread {
  readonly thread: ReadonlySignal<Thread>;
  readonly state: ReadonlySignal<'loading' | 'failed' | 'loaded'>;
  readonly error: ReadonlySignal<ApiError | null>;
  reload(): Promise<void>;
  older(): Promise<void>;
  readonly phone: { readonly state: ReadonlySignal<AskedPhone>; readonly error: ReadonlySignal<ApiError | null>; ask(): Promise<void> };
  put(entry: Entry): void;
  full(id: string): Promise<Entry | null>;
  stop(): void;
}

const PAGE = 50;
/** A gap longer than this many pages is not filled. Older messages load again on scrolling. */
const MAX_PAGES = 6;
const CALM_MS = 150;
const MAX_LOOKS = 60;

/** Replaces the loaded messages if the newest pages do not connect to them after an interruption. */
export function openThread(sessionId: string, chatId: string): OpenThread {
  const [thread, state, error] = [signal<Thread>(EMPTY), signal<'loading' | 'failed' | 'loaded'>('loading'), signal<ApiError | null>(null)];
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;

  const ask = (older: Thread['older']): Promise<Page> =>
    call('listChatMessages', { params: { sessionId, chatId }, query: { limit: PAGE, ...older } }, { signal: over.signal });

  const read = async (): Promise<void> => {
    const since = thread.value;
    try {
      const pages: Page[] = [await ask(null)];
      for (let last = pages[0]; last && pages.length < MAX_PAGES && !isJoined(thread.value, last); last = pages.at(-1))
        pages.push(await ask({ before: last.next_before ?? 0, before_id: last.next_before_id ?? '' }));
      thread.value = withNewest(thread.value, pages, since);
      state.value = 'loaded';
      error.value = null;
    } catch (cause) {
      if (over.signal.aborted) return;
      error.value = errorOf(cause);
      if (state.value !== 'loaded') state.value = 'failed';
      if (isTransient(cause)) throw cause;
    }
  };
  const reload = (): Promise<void> => read().catch(() => {});

  const soon = (looks = 0): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Waits, because an outgoing message that is still being sent would appear twice.
      if (isSending(sessionId, chatId) && looks < MAX_LOOKS) soon(looks + 1);
      else void reload();
    }, CALM_MS);
  };

  const put = (...entries: readonly Entry[]): void => {
    thread.value = { ...thread.value, entries: merged(thread.value.entries, entries) };
  };

  const full = async (id: string): Promise<Entry | null> => {
    const found = await call('getMessage', { params: { sessionId, messageId: id } }, { signal: over.signal }).catch(() => null);
    if (found && !over.signal.aborted) put(found);
    return found;
  };

  const isKnown = (id: string): boolean => thread.value.entries.some((one) => one.id === id);

  const received = (id: string, { message_type, body }: LiveEvent['data'], at: number): void => {
    const kind = kindIn(message_type);
    if (!isKnown(id) && typeof body === 'string' && kind) put({ ...anEntry(id), message_type: kind, body, created_at: at });
    if (isKnown(id)) void full(id);
    else soon();
  };

  const changed = (id: string, type: string, { status, error: failure }: LiveEvent['data']): void => {
    if (type === 'message.edited' || type === 'message.deleted') return void full(id);
    const reason = typeof failure === 'string' ? failure : null;
    const come = statusIn(status);
    if (come) thread.value = withStatus(thread.value, id, come, reason);
  };

  const receive = ({ type, session_id, occurred_at, data }: LiveEvent): void => {
    const { message_id: id, chat_id } = data;
    if (session_id !== sessionId || chat_id !== chatId || typeof id !== 'string' || !type.startsWith('message.')) return;
    if (type === 'message.received') return received(id, data, occurred_at);
    if (type === 'message.reaction') {
      const { message_id: target }: { message_id?: unknown } = Object(data['target']);
      if (typeof target === 'string' && isKnown(target)) void full(target);
    }
    if (isKnown(id)) changed(id, type, data);
    else soon();
  };

  const anEntry = (id: string) => ({
    ...{ id, session_id: sessionId, chat_id: chatId, media_r2_key: null },
    ...{ direction: 'inbound' as const, status: 'delivered' as const },
  });

  const older = async (): Promise<void> => {
    if (isAsking || thread.value.older === null) return;
    isAsking = true;
    try {
      thread.value = withOlder(thread.value, await ask(thread.value.older));
    } catch {
      // Loading is retried at the next scroll.
    } finally {
      isAsking = false;
    }
  };

  const loaded = async (): Promise<void> => {
    const [first] = thread.value.entries;
    if (first && thread.value.older === null) thread.value = { ...thread.value, older: { before: first.created_at, before_id: first.id } };
    await older();
  };
  const request = () => call('loadOlderMessages', { params: { sessionId, chatId }, body: {} });
  const [asked, refused] = [signal<AskedPhone>('idle'), signal<ApiError | null>(null)];
  const history = phoneHistory(sessionId, chatId, {
    ...{ request, loaded },
    show(now) {
      asked.value = now;
    },
    failed(cause) {
      refused.value = cause === null ? null : errorOf(cause);
    },
  });

  const endings = [
    history.stop,
    onLiveEvent(history.heard),
    onLiveEvent(receive),
    onResync(read),
    onAccepted((one, stored) => {
      if (one.session_id !== sessionId || one.chat_id !== chatId || isKnown(stored.id)) return;
      put({
        ...{ id: stored.id, session_id: sessionId, chat_id: chatId, direction: 'outbound', message_type: one.type, body: one.text || null },
        ...{ media_r2_key: one.media_key, status: statusIn(stored.status) ?? 'queued', created_at: Math.max(Date.now(), lastAt() + 1) },
      });
      void full(stored.id);
    }),
  ];
  const lastAt = (): number => thread.value.entries.at(-1)?.created_at ?? 0;
  void reload();
  return {
    ...{ thread, state, error, reload, full, older, phone: { state: asked, error: refused, ask: history.ask } },
    put: (entry) => put(entry),
    stop() {
      over.abort();
      clearTimeout(timer);
      for (const end of endings) end();
    },
  };
}
