import { waitBefore } from './backoff.ts';
import type { Tab } from './tab.ts';
import type { HubDeps, Word } from './types.ts';

export interface Leader {
  /** Keeps a stream open until `over` aborts. */
  lead(over: AbortSignal): Promise<void>;
  isLeading(): boolean;
  /** Tells the other tabs how it is. */
  answer(): void;
  /** Tries now in place of waiting, and gives up a stream that is silent. */
  wake(): void;
}

/** The gateway says something every 15 seconds: a stream without a sign for so long is dead, though nobody closed it. */
const SILENT_MS = 40_000;
/** So long the first try has to open a stream; each one after it twice as long. A connection that is dead may be tried first. */
const OPENS_WITHIN_MS = 6_000;
const OPENS_WITHIN_MOST_MS = 30_000;
/** The other tabs are told so often that the stream is open. */
const TELL_EVERY_MS = 10_000;

/** A stream that was open so long was a good one: the tries after it are counted anew. */
const STEADY_MS = 20_000;

const opensWithin = (tries: number): number => Math.min(OPENS_WITHIN_MOST_MS, OPENS_WITHIN_MS * 2 ** tries);

/** The tab that has the stream: tries again after each end, and hands on what comes to `here` and to the other tabs. */
export function createLeader(deps: HubDeps, here: Tab): Leader {
  let current = new AbortController();
  let isOpen = false;
  let isLeading = false;
  let isWaiting = false;
  let tries = 0;
  let openedAt = 0;
  let signAt = 0;
  let toldAt = 0;
  /** Before a try: when it begins; after that: how long it may be silent. */
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
      // The leader before this one may have gone without a word, and have heard what nobody was told of.
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
