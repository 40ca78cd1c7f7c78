import { waitBefore } from './backoff.ts';
import type { Tab } from './tab.ts';
import type { HubDeps, Word } from './types.ts';

export interface Leader {
  lead(over: AbortSignal): Promise<void>;
  isLeading(): boolean;
  answer(): void;
  /** Connects now if a retry is pending, and reconnects a stream that has gone silent. */
  wake(): void;
}

/** The gateway sends something every 15 seconds, so a stream that is silent for this long is dead. */
const SILENT_MS = 40_000;
/** Time that the first try has to open a stream; doubles with each further try. */
const OPENS_WITHIN_MS = 6_000;
const OPENS_WITHIN_MOST_MS = 30_000;
/** Minimum time between two reports to the other tabs that the stream is open. */
const TELL_EVERY_MS = 10_000;

/** A stream that stayed open this long resets the retry counter. */
const STEADY_MS = 20_000;

const opensWithin = (tries: number): number => Math.min(OPENS_WITHIN_MOST_MS, OPENS_WITHIN_MS * 2 ** tries);

/**
 * Holds the stream in the leading tab: reconnects when it ends, and forwards events to `here` and
 * to the other tabs.
 */
export function createLeader(deps: HubDeps, here: Tab): Leader {
  let current = new AbortController();
  let isOpen = false;
  let isLeading = false;
  let isWaiting = false;
  let tries = 0;
  let openedAt = 0;
  let signAt = 0;
  let toldAt = 0;
  /** Cancels the running timer: the delay before a try, or the limit on silence after it. */
  let unwait = (): void => {};

  const say = (word: Word): void => {
    here.take(word);
    tell(word);
  };
  const tell = (word: Word): void => {
    toldAt = deps.now();
    deps.tell(word);
  };
  const within = (ms: number, run: () => void): void => {
    unwait();
    unwait = deps.after(ms, run);
  };
  const end = (): void => {
    unwait();
    current.abort();
    if (isOpen && deps.now() - openedAt >= STEADY_MS) tries = 0;
    isOpen = false;
  };
  const again = (): void => {
    end();
    say({ say: 'closed' });
    if (!isLeading) return;
    isWaiting = true;
    within(waitBefore(tries, deps.random()), attempt);
    tries += 1;
  };
  const sign = (): void => {
    signAt = deps.now();
    within(SILENT_MS, again);
    if (signAt - toldAt > TELL_EVERY_MS) tell({ say: 'open' });
  };
  const isSilent = (): boolean => deps.now() - signAt > SILENT_MS;

  function attempt(): void {
    end();
    const own = new AbortController();
    current = own;
    isWaiting = false;
    const isOver = (): boolean => own.signal.aborted;
    within(opensWithin(tries), again);
    const reading = deps.read(
      {
        onOpen() {
          if (isOver()) return;
          isOpen = true;
          openedAt = deps.now();
          sign();
          say({ say: 'open' });
        },
        onSign: () => isOver() || sign(),
        onEvent: (event) => isOver() || say({ say: 'event', event }),
      },
      own.signal,
    );
    reading
      .catch(() => {})
      .then(() => {
        if (!isOver()) again();
      });
  }

  return {
    isLeading: () => isLeading,
    answer() {
      if (!isLeading) return;
      if (isOpen && isSilent()) again();
      else tell({ say: isOpen ? 'open' : 'closed' });
    },
    lead(over) {
      isLeading = true;
      // The previous leader may have lost events that it never forwarded, so every tab must resync.
      say({ say: 'closed' });
      attempt();
      return new Promise((resolve) => {
        const stop = (): void => {
          isLeading = false;
          end();
          here.take({ say: 'closed' });
          resolve();
        };
        if (over.aborted) stop();
        else over.addEventListener('abort', stop);
      });
    },
    wake() {
      const isDead = isOpen && isSilent();
      if (isDead) say({ say: 'closed' });
      if (isDead || isWaiting) attempt();
    },
  };
}
