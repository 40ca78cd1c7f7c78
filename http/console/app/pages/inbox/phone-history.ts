import { type ReadonlySignal, signal } from '@preact/signals';
import type { ApiError } from '../../api/request.ts';
import type { LiveEvent } from '../../state/live.ts';

/** `asked`: the phone looks for messages. `silent`: it did not answer. `all`: it has no older ones. */
export type AskedPhone = 'idle' | 'asked' | 'silent' | 'all';

/** Older messages of one chat that only its phone has: asked for by hand, and read from the log once `history.loaded` tells that they are there. */
export interface PhoneHistory {
  readonly state: ReadonlySignal<AskedPhone>;
  readonly error: ReadonlySignal<ApiError | null>;
  ask(): Promise<void>;
  heard(event: Pick<LiveEvent, 'type' | 'session_id' | 'data'>): void;
  stop(): void;
}

/** The event may be lost with the stream: then the log is read. */
const WAITS_MS = 90_000;

export interface PhoneHistoryDeps {
  request(): Promise<unknown>;
  /** Messages may have come before the oldest that is known here. */
  loaded(): Promise<void>;
  errorOf(cause: unknown): ApiError;
}

export function phoneHistory(sessionId: string, chatId: string, { request, loaded, errorOf }: PhoneHistoryDeps): PhoneHistory {
  const [state, error] = [signal<AskedPhone>('idle'), signal<ApiError | null>(null)];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (as: AskedPhone): void => {
    clearTimeout(timer);
    state.value = as;
  };
  return {
    ...{ state, error },
    async ask() {
      if (state.value === 'asked') return;
      state.value = 'asked';
      error.value = null;
      timer = setTimeout(() => void loaded().then(() => end('idle')), WAITS_MS);
      try {
        await request();
      } catch (cause) {
        end('idle');
        error.value = errorOf(cause);
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
