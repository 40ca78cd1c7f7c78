import type { LiveEvent } from '../../live/types.ts';

/** `asked`: the phone looks for messages. `silent`: it did not answer. `all`: it has no older ones. */
export type AskedPhone = 'idle' | 'asked' | 'silent' | 'all';

/** Older messages of one chat that only its phone has: asked for by hand, and read from the log once `history.loaded` tells that they are there. */
export interface PhoneHistory {
  ask(): Promise<void>;
  heard(event: Pick<LiveEvent, 'type' | 'session_id' | 'data'>): void;
  stop(): void;
}

export interface PhoneHistoryDeps {
  request(): Promise<unknown>;
  /** Messages may have come before the oldest that is known here. */
  loaded(): Promise<void>;
  show(state: AskedPhone): void;
  /** null: what was wrong is over. */
  failed(cause: unknown): void;
}

/** The event may be lost with the stream: then the log is read. */
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
