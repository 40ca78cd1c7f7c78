import type { LiveEvent } from '../../live/types.ts';

/** `asked`: waiting for the phone; `silent`: it did not respond; `all`: it does not have older messages. */
export type AskedPhone = 'idle' | 'asked' | 'silent' | 'all';

/** Loads messages that only the phone has, on request; they are read from the log after `history.loaded`. */
export interface PhoneHistory {
  ask(): Promise<void>;
  heard(event: Pick<LiveEvent, 'type' | 'session_id' | 'data'>): void;
  stop(): void;
}

export interface PhoneHistoryDeps {
  request(): Promise<unknown>;
  /** Called when messages older than the oldest known one may have arrived. */
  loaded(): Promise<void>;
  show(state: AskedPhone): void;
  /** Reports an error; null clears the last one. */
  failed(cause: unknown): void;
}

/** Time after which the log is read anyway, because the event may be lost with the stream. */
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
