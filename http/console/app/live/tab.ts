import { waitBefore } from './backoff.ts';
import type { HubDeps, LiveEvent, Word } from './types.ts';

export interface TabListener {
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

export interface Tab {
  take(word: Word): void;
  stop(): void;
}

const REMEMBERED = 1_000;

/** What one tab makes of what it is told, in the leading tab and in all others. */
export function createTab(deps: Pick<HubDeps, 'after' | 'random'>, listener: TabListener): Tab {
  const seen = createSeen(REMEMBERED);
  let waiting: LiveEvent[] | null = null;
  let turn = 0;
  let tries = 0;
  let isLive = false;
  let unwait = (): void => {};

  const hand = (event: LiveEvent): void => {
    if (seen.isNew(event.id)) listener.onEvent(event);
  };
  const opened = async (): Promise<void> => {
    turn += 1;
    const own = turn;
    waiting = waiting ?? [];
    const isRead = await listener.onOpen().then(
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
    listener.onLive();
  };
  const closed = (): void => {
    turn += 1;
    unwait();
    waiting = null;
    isLive = false;
    listener.onOffline();
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
