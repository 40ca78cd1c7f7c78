/** An event of the live stream. */
export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly session_id: string | null;
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What tabs of one browser say to each other. */
export type Word =
  | { readonly say: 'event'; readonly event: LiveEvent }
  | { readonly say: 'open' }
  | { readonly say: 'closed' }
  /** A tab that has just come asks how it is. */
  | { readonly say: 'hello' };

/** The open stream. */
export interface Stream {
  close(): void;
}

export interface StreamHearer {
  onOpen(): void;
  onEvent(event: LiveEvent): void;
  /** It is over, and will not come back by itself. */
  onEnd(): void;
}

export interface HubDeps {
  /** Runs `lead` once no other tab of this browser leads, and until what it gives settles. Ends with `signal`. */
  lead(lead: () => Promise<void>, signal: AbortSignal): void;
  /** To all other tabs. */
  tell(word: Word): void;
  /** From all other tabs; gives how to stop. */
  hear(hear: (word: Word) => void): () => void;
  /** Opens one stream; each try has a ticket of its own. */
  open(hearer: StreamHearer): Promise<Stream>;
  /** After so many ms; gives how to take it back. */
  after(ms: number, run: () => void): () => void;
  /** 0 to 1. */
  random(): number;
}

export interface HubHearer {
  onEvent(event: LiveEvent): void;
  /**
   * The stream is open: what happened before it has to be read. Events that come meanwhile wait until that is done. Rejects where it could not be
   * read: it is called again.
   */
  onOpen(): Promise<void>;
  /** All that happened is shown, and what happens will be. */
  onLive(): void;
  onOffline(): void;
}

export interface Hub {
  /** Tries now, in place of waiting. */
  hurry(): void;
  stop(): void;
}

const FIRST_MS = 500;
const LONGEST_MS = 15_000;
const REMEMBERED = 1_000;

/** How long to wait before the next try, ms: twice as long each time up to 15 s, and never all browsers at the same moment. */
export const waitBefore = (tries: number, random: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + random / 2);

/**
 * One stream for all tabs of a browser: the tab that leads has it and hands on what comes. When that tab is closed, another one leads. After each
 * cut every tab first reads what it missed, and only then is live.
 */
export function startHub(deps: HubDeps, hearer: HubHearer): Hub {
  const over = new AbortController();
  const here = createTab(deps, hearer);
  const leader = createLeader(deps, here);
  const unhear = deps.hear((word) => {
    if (word.say === 'hello') leader.answer();
    else if (!leader.isLeading()) here.take(word);
  });
  deps.tell({ say: 'hello' });
  deps.lead(() => leader.lead(over.signal), over.signal);
  return {
    hurry: leader.hurry,
    stop() {
      over.abort();
      unhear();
      here.stop();
    },
  };
}

interface Tab {
  take(word: Word): void;
  stop(): void;
}

/** What one tab makes of what it is told, in the leading tab and in all others. */
function createTab(deps: Pick<HubDeps, 'after' | 'random'>, hearer: HubHearer): Tab {
  const seen = createSeen(REMEMBERED);
  let waiting: LiveEvent[] | null = null;
  let turn = 0;
  let tries = 0;
  let isLive = false;
  let unwait = (): void => {};

  const hand = (event: LiveEvent): void => {
    if (seen.isNew(event.id)) hearer.onEvent(event);
  };
  const opened = async (): Promise<void> => {
    turn += 1;
    const own = turn;
    waiting = waiting ?? [];
    const isRead = await hearer.onOpen().then(
      () => true,
      () => false,
    );
    if (own !== turn) return;
    if (!isRead) {
      unwait = deps.after(waitBefore(tries, deps.random()), () => void opened());
      tries += 1;
      return;
    }
    tries = 0;
    const come = waiting;
    waiting = null;
    for (const event of come) hand(event);
    isLive = true;
    hearer.onLive();
  };
  const closed = (): void => {
    turn += 1;
    unwait();
    waiting = null;
    isLive = false;
    hearer.onOffline();
  };
  return {
    take(word) {
      if (word.say === 'open' && !isLive && waiting === null) void opened();
      if (word.say === 'closed') closed();
      if (word.say === 'event') waiting ? waiting.push(word.event) : hand(word.event);
      // What is older is read again anyway.
      if (waiting && waiting.length > REMEMBERED) waiting.shift();
    },
    stop: closed,
  };
}

/** The same event may come over the stream of two leaders. */
function createSeen(max: number): { isNew(id: string): boolean } {
  const ids = new Set<string>();
  return {
    isNew(id) {
      if (ids.has(id)) return false;
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > max && oldest !== undefined) ids.delete(oldest);
      return true;
    },
  };
}

interface Leader {
  lead(signal: AbortSignal): Promise<void>;
  isLeading(): boolean;
  answer(): void;
  hurry(): void;
}

function createLeader(deps: HubDeps, here: Tab): Leader {
  let stream: Stream | null = null;
  let isOpen = false;
  let isLeading = false;
  let tries = 0;
  let turn = 0;
  let unwait = (): void => {};

  const say = (word: Word): void => {
    here.take(word);
    deps.tell(word);
  };
  const end = (): void => {
    turn += 1;
    unwait();
    stream?.close();
    stream = null;
    isOpen = false;
  };
  const again = (): void => {
    end();
    say({ say: 'closed' });
    if (!isLeading) return;
    unwait = deps.after(waitBefore(tries, deps.random()), () => void attempt());
    tries += 1;
  };
  const attempt = async (): Promise<void> => {
    end();
    const own = turn;
    const mine = (): boolean => own === turn;
    try {
      const opened = await deps.open({
        onOpen() {
          if (!mine()) return;
          tries = 0;
          isOpen = true;
          say({ say: 'open' });
        },
        onEvent: (event) => mine() && say({ say: 'event', event }),
        onEnd: () => mine() && again(),
      });
      if (mine()) stream = opened;
      else opened.close();
    } catch {
      if (mine()) again();
    }
  };
  return {
    isLeading: () => isLeading,
    answer() {
      if (isLeading) deps.tell({ say: isOpen ? 'open' : 'closed' });
    },
    lead(signal) {
      isLeading = true;
      // The leader before this one may have gone without a word, and have heard what nobody was told of.
      say({ say: 'closed' });
      void attempt();
      return new Promise((resolve) => {
        const stop = (): void => {
          isLeading = false;
          end();
          deps.tell({ say: 'closed' });
          resolve();
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop);
      });
    },
    hurry() {
      if (isLeading && !isOpen) void attempt();
    },
  };
}
