import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { watchPresence } from '../../live/watch-presence.ts';
import { type LiveEvent, onLiveEvent } from '../../state/live.ts';
import { chatKey } from './list-state.ts';

type Doing = 'composing' | 'recording';

/** Typing expires after this time, because a phone that loses its connection never reports a pause. */
const FORGOTTEN_MS = 20_000;

/** Chats in which someone is typing. The network reports this only to devices that appear online. */
export const typing = signal<ReadonlyMap<string, Doing>>(new Map());
const timers = new Map<string, ReturnType<typeof setTimeout>>();

function put(chat: string, doing: Doing | null): void {
  clearTimeout(timers.get(chat));
  timers.delete(chat);
  const next = new Map(typing.value);
  if (doing === null) next.delete(chat);
  else {
    next.set(chat, doing);
    timers.set(
      chat,
      setTimeout(() => put(chat, null), FORGOTTEN_MS),
    );
  }
  typing.value = next;
}

export function useTyping(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    let stop: (() => void) | null = null;
    const follow = (): void => {
      stop?.();
      stop = document.hidden ? null : watchPresence(receive);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    const end = onLiveEvent(receive);
    return () => {
      end();
      stop?.();
      document.removeEventListener('visibilitychange', follow);
    };
  }, [isOpen]);
}

function receive({ type, session_id, data }: Pick<LiveEvent, 'type' | 'session_id' | 'data'>): void {
  const { chat_id, state } = data;
  if (session_id === null || typeof chat_id !== 'string') return;
  const chat = chatKey(session_id, chat_id);
  if (type === 'chat.presence') put(chat, state === 'composing' || state === 'recording' ? state : null);
  else if (type === 'message.received' && typing.peek().has(chat)) put(chat, null);
}
