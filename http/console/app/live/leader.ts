import { waitBefore } from './backoff.ts';
import type { Tab } from './tab.ts';
import type { HubDeps, Word } from './types.ts';

export interface Leader {
  lead(over: AbortSignal): Promise<void>;
  isLeading(): boolean;
  answer(): void;
  /** Connects immediately if a retry is pending, and reconnects a stream that has gone silent. */
  wake(): void;
}

/** Longer than the 15 seconds within which the gateway always sends something. */
const SILENT_MS = 40_000;
/** Time limit for opening the stream, which doubles after each failed attempt. */
const OPENS_WITHIN_MS = 6_000;
const OPENS_WITHIN_MOST_MS = 30_000;
const TELL_EVERY_MS = 10_000;

/** A stream that has been open for this long resets the retry counter. */
const STEADY_MS = 20_000;

const opensWithin = (tries: number): number => Math.min(OPENS_WITHIN_MOST_MS, OPENS_WITHIN_MS * 2 ** tries);

export function createLeader(deps: HubDeps, here: Tab): Leader {
  let current = new AbortController();
  let isOpen = false;
  let isLeading = false;
  let isWaiting = false;
  let tries = 0;
  let openedAt = 0;
  let signAt = 0;
  let toldAt = 0;
  /**
   * Cancels the running timer, which is either the delay before an attempt or the limit on silence
   * after it.
   */
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
      // The previous leader may not have forwarded all events, so every tab must resync.
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
