import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { outgoing } from '../../state/outbox.ts';
import { useAct } from '../../ui/act.ts';
import { useKeys } from '../../ui/keys.ts';
import { Bones, Failure } from '../../ui/states.tsx';
import { dayOf } from '../../words/formats.ts';
import { Actions } from './actions.tsx';
import { Composer } from './composer.tsx';
import { MessageRow, OutgoingRow } from './message-row.tsx';
import { NoteRow } from './note-row.tsx';
import { inOrder, type Note } from './rows-of.ts';
import type { Entry } from './thread.ts';
import type { OpenThread } from './thread-state.ts';
import { words } from './words.ts';

interface ThreadPaneProps {
  readonly sessionId: string;
  readonly chatId: string;
  readonly chatName: string | null;
  readonly thread: OpenThread;
  readonly isConnected: boolean;
  readonly hasPhone: boolean;
  /** Null if the chat was never cleared on the phone. */
  readonly clearedAt: number | null;
  readonly notes: readonly Note[];
  readonly onNote: (text: string) => Promise<void>;
  readonly onNoteGone: (id: string) => Promise<void>;
  /** Null if the person has not opted out. `isRefused`: messages to the person are blocked. */
  readonly optOut: { readonly isRefused: boolean } | null;
}

export function ThreadPane({
  sessionId,
  chatId,
  chatName,
  thread,
  isConnected,
  hasPhone,
  clearedAt,
  optOut,
  notes,
  onNote,
  onNoteGone,
}: ThreadPaneProps): JSX.Element {
  const t = words();
  const chosen = useSignal<Entry | null>(null);
  const answering = useSignal<Entry | null>(null);
  const retrying = useAct();
  const { entries, older } = thread.thread.value;
  const known = new Map(entries.map((one) => [one.id, one]));
  const own = outgoing.value.filter((one) => one.session_id === sessionId && one.chat_id === chatId);
  const { box, atTop } = useScroll(`${entries.at(-1)?.id ?? ''} ${own.length}`, older !== null, () => thread.older());
  useEffect(() => {
    answering.value = null;
  }, [sessionId, chatId]);
  useKeys({
    r: () => {
      // Uses the focused message or, without one, the customer's newest message.
      const id = document.activeElement?.closest('[data-message-id]')?.getAttribute('data-message-id') ?? '';
      answering.value = known.get(id) ?? entries.findLast(({ direction }) => direction === 'inbound') ?? entries.at(-1) ?? null;
    },
  });
  const retry = (entry: Entry): Promise<void> =>
    retrying.run(async () => thread.put({ ...entry, ...(await call('retryMessage', { params: { sessionId, messageId: entry.id } })) }));
  const act = (one: Entry): void => {
    chosen.value = one;
    void thread.full(one.id).then((full) => {
      if (full && chosen.value?.id === full.id) chosen.value = full;
    });
  };
  return (
    <>
      <div ref={box} class="messages" role="log" aria-label={t.messages} data-testid="message-list" tabIndex={0}>
        {thread.state.value === 'loading' && <Bones />}
        {thread.state.value === 'failed' && thread.error.value && (
          <Failure error={thread.error.value} onRetry={() => void thread.reload()} />
        )}
        {thread.state.value === 'loaded' && (
          <div ref={atTop} class="messages-top small soft">
            {older === null ? (
              <Beginning isEmpty={entries.length === 0} {...{ thread, hasPhone }} />
            ) : (
              <button type="button" class="button slim" onClick={() => void thread.older()}>
                {t.older}
              </button>
            )}
          </div>
        )}
        <ol class="message-rows">
          {inOrder(entries, notes, older === null, clearedAt).map((one) => {
            if (one.is === 'day')
              return (
                <li key={one.key} class="day">
                  {dayOf(one.at, Date.now())}
                </li>
              );
            if (one.is === 'cleared')
              return (
                <li key="cleared" class="chat-cleared small soft" data-testid="chat-cleared">
                  {t.cleared}
                </li>
              );
            if (one.is === 'note') return <NoteRow key={one.note.id} note={one.note} onGone={onNoteGone} />;
            const { entry } = one;
            return (
              <MessageRow
                key={entry.id}
                entry={entry}
                quoted={entry.reply_to ? known.get(entry.reply_to) : undefined}
                onActions={act}
                onRetry={retry}
                onFull={thread.full}
              />
            );
          })}
          {own.map((one) => (
            <OutgoingRow key={one.key} one={one} />
          ))}
        </ol>
      </div>
      {retrying.error.value && <Failure error={retrying.error.value} />}
      {optOut && (
        <p class="notice warn small" data-testid="opt-out-warning" role="note">
          {optOut.isRefused ? t.optedOutBlocked : t.optedOut}
        </p>
      )}
      {!isConnected && <p class="notice warn small">{t.offlineDevice}</p>}
      <Composer
        {...{ sessionId, chatId, chatName, onNote }}
        answering={answering.value}
        onAnswered={() => {
          answering.value = null;
        }}
      />
      <Actions
        entry={chosen.value && (known.get(chosen.value.id) ?? chosen.value)}
        isConnected={isConnected}
        onClose={() => {
          chosen.value = null;
        }}
        onReply={(entry) => {
          answering.value = entry;
        }}
        onEntry={thread.put}
      />
    </>
  );
}

function Beginning({
  isEmpty,
  thread: { phone },
  hasPhone,
}: Pick<ThreadPaneProps, 'thread' | 'hasPhone'> & { isEmpty: boolean }): JSX.Element {
  const t = words();
  const state = phone.state.value;
  if (isEmpty) return <p>{t.noMessages}</p>;
  if (!hasPhone || state === 'all') return <p>{t.beginning}</p>;
  return (
    <>
      <p role="status">{state === 'asked' ? t.phoneLooks : state === 'silent' && t.phoneSilent}</p>
      <button type="button" class="button slim" disabled={state === 'asked'} onClick={() => void phone.ask()}>
        {t.loadOlder}
      </button>
      {phone.error.value && <Failure error={phone.error.value} />}
    </>
  );
}

const NEAR_PX = 120;

function useScroll(last: string, hasOlder: boolean, more: () => Promise<void>) {
  const box = useRef<HTMLDivElement>(null);
  const atTop = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [last]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = (): void => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    };
    // Keeps the chat scrolled to its end when rows grow, for example because an image has loaded.
    const watch = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    const rows = element.querySelector('ol');
    if (rows) watch.observe(rows);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  useEffect(() => {
    const mark = atTop.current;
    if (!mark || !hasOlder || !box.current) return;
    const seen = new IntersectionObserver(
      (all) => {
        if (all.some(({ isIntersecting }) => isIntersecting) && !isAtEnd.current) void more();
      },
      { root: box.current },
    );
    seen.observe(mark);
    return () => seen.disconnect();
  }, [hasOlder, last === ' 0']);
  return { box, atTop };
}
