import type { LiveEvent } from '../../live/types.ts';

/** `silent`: the phone did not respond. `all`: the phone does not have older messages. */
export type AskedPhone = 'idle' | 'asked' | 'silent' | 'all';

/** Requests messages that only the phone has. After `history.loaded` they are in the log. */
export interface PhoneHistory {
  ask(): Promise<void>;
  heard(event: Pick<LiveEvent, 'type' | 'session_id' | 'data'>): void;
  stop(): void;
}

export interface PhoneHistoryDeps {
  request(): Promise<unknown>;
  loaded(): Promise<void>;
  show(state: AskedPhone): void;
  failed(cause: unknown): void;
}

/** After this time the log is read even without the event, which may have been lost. */
const WAITS_MS = 90_000;

export function phoneHistory(sessionId: string, chatId: string, { request, loaded, show, failed }: PhoneHistoryDeps): PhoneHistory {
  let isAsking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (as: AskedPhone): void => {
    clearTimeout(timer);
    isAsking = false;
    show(as);
  };
  return {
    async ask() {
      if (isAsking) return;
      isAsking = true;
      show('asked');
      failed(null);
      timer = setTimeout(() => void loaded().then(() => end('idle')), WAITS_MS);
      try {
        await request();
      } catch (cause) {
        end('idle');
        failed(cause);
      }
    },
    heard({ type, session_id, data }) {
      if (type !== 'history.loaded' || session_id !== sessionId || data['chat_id'] !== chatId) return;
      if (data['error'] !== null) return end('silent');
      void loaded().then(() => end(data['more'] === false || data['count'] === 0 ? 'all' : 'idle'));
    },
    stop: () => clearTimeout(timer),
  };
}
