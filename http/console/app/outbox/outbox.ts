/** A message on its way from this browser to the gateway. */
export interface Outgoing {
  /** Names the send and every repeat of it. */
  readonly key: string;
  readonly session_id: string;
  readonly chat_id: string;
  readonly type: 'text' | 'image' | 'video' | 'audio' | 'document';
  /** The text, or the caption of a file. */
  readonly text: string;
  readonly reply_to: string | null;
  /** The stored file; null: there is none, or it is not stored yet. */
  readonly media_key: string | null;
  readonly filename: string | null;
  readonly voice_note: boolean;
  /** Epoch ms: since when the gateway may have it. */
  readonly at: number;
  /** `waiting`: it is tried again by itself; `failed`: it was refused, and somebody has to look at it. */
  readonly state: 'sending' | 'waiting' | 'failed';
  /** It was sent before, and no answer came. */
  readonly tried: boolean;
  /** Why it was refused. Null of one that failed: there was no answer for so long that another try could send it twice. */
  readonly error: string | null;
}

export interface SendFailure {
  /** 0: there was no answer. */
  readonly status: number;
  /** Of a refusal; null: it has none. */
  readonly code: string | null;
  readonly message: string;
  readonly retryAfterMs: number | null;
}

export interface OutboxDeps {
  /** Sends it under its key; gives the message's id. Rejects with a SendFailure. */
  send(one: Outgoing): Promise<{ readonly id: string; readonly status: string }>;
  /** The gateway has it. Called before it leaves the outbox. */
  accepted(one: Outgoing, stored: { readonly id: string; readonly status: string }): void;
  /** What is there now: for the page, and to be kept. */
  changed(all: readonly Outgoing[]): void;
  /** After so many ms; gives how to take it back. */
  after(ms: number, run: () => void): () => void;
  /** Epoch ms. */
  now(): number;
}

export interface Outbox {
  add(one: Omit<Outgoing, 'state' | 'error' | 'at' | 'tried'>): void;
  /** Of one that failed: again, under the same key; once, where somebody decides that it may be there twice. */
  retry(key: string): void;
  discard(key: string): void;
  /** Its file is stored: repeats need not do that again. */
  stored(key: string, mediaKey: string): void;
  /** Tries what waits, now. Resolves when each of them was tried. */
  flush(): Promise<void>;
  stop(): void;
}

/** May the gateway have it already? */
export const mayBeStored = ({ state, tried }: Pick<Outgoing, 'state' | 'tried'>): boolean =>
  state === 'sending' || (state === 'waiting' && tried);

const FIRST_MS = 1_000;
const LONGEST_MS = 20_000;
/** The gateway remembers keys for a day: what is older could be sent twice. */
const MAX_AGE_MS = 23 * 3_600_000;

/**
 * May it be sent again without anybody's doing? A refusal says the same each time; a key in use is of a try whose answer is still to come, and a device that is
 * not connected may be so later.
 */
const isRepeatable = ({ status, code }: SendFailure): boolean =>
  code === 'CONFLICT' ||
  code === 'IDEMPOTENCY_IN_PROGRESS' ||
  status === 0 ||
  status === 401 ||
  status === 408 ||
  status === 429 ||
  status >= 500;

/** Sends messages in the order of their chats, again and again under the same key until the gateway answers. `kept`: of this browser, from before. */
export function createOutbox(deps: OutboxDeps, kept: readonly Outgoing[]): Outbox {
  let all: readonly Outgoing[] = kept.map((one) => ({ ...one, state: one.state === 'failed' ? 'failed' : 'waiting' }));
  const busy = new Map<string, Promise<void>>();
  /** Somebody pressed the button of these. */
  const wanted = new Set<string>();
  let tries = 0;
  let isOver = false;
  let unwait = (): void => {};

  const put = (next: readonly Outgoing[]): void => {
    all = next;
    deps.changed(all);
  };
  const change = (key: string, patch: Partial<Outgoing>): void => put(all.map((one) => (one.key === key ? { ...one, ...patch } : one)));

  /** True: it is out of the way of those behind it. */
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

  /** One chat's messages leave one after the other. */
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
