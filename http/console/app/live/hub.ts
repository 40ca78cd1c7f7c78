import { createLeader } from './leader.ts';
import { createTab, type TabListener } from './tab.ts';

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
  /** The stream is open; said from time to time while it is. */
  | { readonly say: 'open' }
  | { readonly say: 'closed' }
  /** A tab that has just come, or has heard nothing for long, asks how it is. */
  | { readonly say: 'hello' };

export interface StreamListener {
  onOpen(): void;
  /** Something came, if only a comment: the line is not dead. */
  onSign(): void;
  onEvent(event: LiveEvent): void;
}

export interface HubDeps {
  /**
   * Runs `lead` once no other tab of this browser leads, or at once with `isSeizing`, and until what it gives settles. `lost`: another tab seized
   * it. `signal` takes back what was not begun.
   */
  lead(lead: (lost: AbortSignal) => Promise<void>, signal: AbortSignal, isSeizing: boolean): void;
  /** To all other tabs. */
  tell(word: Word): void;
  /** From all other tabs; gives how to stop. */
  onWord(receive: (word: Word) => void): () => void;
  /** Opens one stream and reads it until it ends or `over` aborts; each try has a ticket of its own. May reject. */
  read(listener: StreamListener, over: AbortSignal): Promise<void>;
  /** After so many ms; gives how to take it back. */
  after(ms: number, run: () => void): () => void;
  /** Epoch ms: it goes on while the machine sleeps. */
  now(): number;
  /** 0 to 1. */
  random(): number;
}

export interface Hub {
  /** The line or the machine is back, or somebody looks: tries now in place of waiting, and looks whether the stream is alive. */
  wake(): void;
  stop(): void;
}

/** A leader tells that its stream is open far more often. */
const LEADER_SILENT_MS = 90_000;
/** So long a leader has to answer before another tab takes its place. */
const ANSWER_MS = 10_000;

/**
 * One stream for all tabs of a browser: the tab that leads has it and hands on what comes. When that tab is closed or hangs, another one leads.
 * After each cut every tab first reads what it missed, and only then is live.
 */
export function startHub(deps: HubDeps, listener: TabListener): Hub {
  const here = createTab(deps, listener);
  const leader = createLeader(deps, here);
  const watch = createLeaderWatch(deps, () => stand(true));
  let standing = new AbortController();
  let isStopped = false;

  /** Waits for its turn to lead, or takes it from a leader that hangs. */
  function stand(isSeizing: boolean): void {
    standing.abort();
    const own = new AbortController();
    standing = own;
    deps.lead(
      async (lost) => {
        watch.stop();
        await leader.lead(AbortSignal.any([own.signal, lost]));
        if (isStopped) return;
        watch.heard();
        stand(false);
      },
      own.signal,
      isSeizing,
    );
  }

  const unsubscribe = deps.onWord((word) => {
    if (word.say === 'hello') return leader.answer();
    if (leader.isLeading()) return;
    watch.heard();
    here.take(word);
  });
  watch.heard();
  deps.tell({ say: 'hello' });
  stand(false);
  return {
    wake() {
      if (leader.isLeading()) leader.wake();
      else deps.tell({ say: 'hello' });
    },
    stop() {
      isStopped = true;
      watch.stop();
      standing.abort();
      unsubscribe();
      here.stop();
    },
  };
}

/** A tab that leads may be frozen by its browser, or hang: it is asked, and replaced where it does not answer. */
function createLeaderWatch({ after, tell }: Pick<HubDeps, 'after' | 'tell'>, replace: () => void) {
  let cancel = (): void => {};
  const ask = (): void => {
    tell({ say: 'hello' });
    cancel = after(ANSWER_MS, replace);
  };
  return {
    heard() {
      cancel();
      cancel = after(LEADER_SILENT_MS, ask);
    },
    stop: () => cancel(),
  };
}
