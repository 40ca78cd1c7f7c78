/**
 * The browser's outbox. It sends the messages of each chat in order, one at a time. Each message is
 * retried with the same idempotency key until the gateway responds, so it is sent only once. The
 * list is in memory; the caller stores it through `changed`.
 */

export interface Outgoing {
  readonly key: string;
  readonly session_id: string;
  readonly chat_id: string;
  readonly type: 'text' | 'image' | 'video' | 'audio' | 'document';
  readonly text: string;
  readonly reply_to: string | null;
  /** Null if there is no file, or if it has not been uploaded yet. */
  readonly media_key: string | null;
  readonly filename: string | null;
  readonly voice_note: boolean;
  /** The earliest time at which the gateway may have received the message, in epoch ms. */
  readonly at: number;
  /** `waiting`: will be retried automatically. `failed`: will be retried only if the user asks for it. */
  readonly state: 'sending' | 'waiting' | 'failed';
  /** Whether an earlier attempt was made but got no final response. */
  readonly tried: boolean;
  /**
   * The last error. Null if there was none. A message also fails, without an error, if it is too
   * old to be resent without risking a duplicate.
   */
  readonly error: string | null;
}

export interface SendFailure {
  readonly status: number;
  readonly code: string | null;
  readonly message: string;
  readonly retryAfterMs: number | null;
}

export interface OutboxDeps {
  send(one: Outgoing): Promise<{ readonly id: string; readonly status: string }>;
  accepted(one: Outgoing, stored: { readonly id: string; readonly status: string }): void;
  changed(all: readonly Outgoing[]): void;
  after(ms: number, run: () => void): () => void;
  now(): number;
}

export interface Outbox {
  add(one: Omit<Outgoing, 'state' | 'error' | 'at' | 'tried'>): void;
  /** Also sends a message that is too old, because the user accepts a possible duplicate. */
  retry(key: string): void;
  discard(key: string): void;
  stored(key: string, mediaKey: string): void;
  /** Resolves once every chat has sent its messages or stopped at a failure. */
  flush(): Promise<void>;
  stop(): void;
}

export const mayBeStored = ({ state, tried }: Pick<Outgoing, 'state' | 'tried'>): boolean =>
  state === 'sending' || (state === 'waiting' && tried);

const FIRST_MS = 1_000;
const LONGEST_MS = 20_000;
/** The gateway remembers a key for one day, so retrying an older message could send it twice. */
const MAX_AGE_MS = 23 * 3_600_000;

/**
 * CONFLICT means that the device may still reconnect. IDEMPOTENCY_IN_PROGRESS means that an earlier
 * attempt is still running.
 */
const isRepeatable = ({ status, code }: SendFailure): boolean =>
  code === 'CONFLICT' ||
  code === 'IDEMPOTENCY_IN_PROGRESS' ||
  status === 0 ||
  status === 401 ||
  status === 408 ||
  status === 429 ||
  status >= 500;

/** `kept`: messages that this browser stored before the page was loaded. */
export function createOutbox(deps: OutboxDeps, kept: readonly Outgoing[]): Outbox {
  let all: readonly Outgoing[] = kept.map((one) => ({ ...one, state: one.state === 'failed' ? 'failed' : 'waiting' }));
  const busy = new Map<string, Promise<void>>();
  const wanted = new Set<string>();
  let tries = 0;
  let isOver = false;
  let unwait = (): void => {};

  const put = (next: readonly Outgoing[]): void => {
    all = next;
    deps.changed(all);
  };
  const change = (key: string, patch: Partial<Outgoing>): void => put(all.map((one) => (one.key === key ? { ...one, ...patch } : one)));

  /** Returns true if the chat's next message may be sent now. */
  async function attempt(one: Outgoing): Promise<boolean> {
    const isWanted = wanted.delete(one.key);
    if (deps.now() - one.at > MAX_AGE_MS && !isWanted) {
      change(one.key, { state: 'failed', error: null });
      return true;
    }
    change(one.key, { state: 'sending', tried: true, error: null });
    try {
      const stored = await deps.send(one);
      if (isOver) return false;
      tries = 0;
      deps.accepted(one, stored);
      put(all.filter(({ key }) => key !== one.key));
      return true;
    } catch (cause) {
      const failure = failureOf(cause);
      if (isOver) return false;
      if (!isRepeatable(failure)) {
        change(one.key, { state: 'failed', error: failure.message, tried: false });
        return true;
      }
      change(one.key, { state: 'waiting' });
      later(failure.retryAfterMs);
      return false;
    }
  }

  function later(retryAfterMs: number | null): void {
    unwait();
    unwait = deps.after(retryAfterMs ?? Math.min(LONGEST_MS, FIRST_MS * 2 ** tries), () => void flush());
    tries += 1;
  }

  function chatTurn(chat: string): Promise<void> {
    const known = busy.get(chat);
    if (known) return known;
    const turn = (async () => {
      for (;;) {
        const next = all.find((one) => chatOf(one) === chat && one.state === 'waiting');
        if (isOver || !next || !(await attempt(next))) return;
      }
    })().finally(() => busy.delete(chat));
    busy.set(chat, turn);
    return turn;
  }

  async function flush(): Promise<void> {
    unwait();
    const chats = new Set(all.filter(({ state }) => state === 'waiting').map(chatOf));
    await Promise.all([...chats, ...busy.keys()].map(chatTurn));
  }

  if (all.length > 0) queueMicrotask(() => void flush());
  return {
    add(one) {
      const added: Outgoing = { ...one, at: deps.now(), state: 'waiting', tried: false, error: null };
      put([...all, added]);
      void chatTurn(chatOf(added));
    },
    retry(key) {
      const one = all.find((each) => each.key === key);
      if (!one) return;
      wanted.add(key);
      change(key, { state: 'waiting', error: null, at: one.tried ? one.at : deps.now() });
      void chatTurn(chatOf(one));
    },
    discard: (key) => put(all.filter((one) => one.key !== key)),
    stored: (key, mediaKey) => change(key, { media_key: mediaKey }),
    flush,
    stop() {
      isOver = true;
      unwait();
    },
  };
}

const chatOf = ({ session_id, chat_id }: Outgoing): string => `${session_id} ${chat_id}`;

function failureOf(cause: unknown): SendFailure {
  const { status, code, message, retryAfterMs }: { status?: unknown; code?: unknown; message?: unknown; retryAfterMs?: unknown } =
    Object(cause);
  return {
    status: typeof status === 'number' ? status : 0,
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : String(cause),
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : null,
  };
}
