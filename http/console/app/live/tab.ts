import { waitBefore } from './backoff.ts';
import type { HubDeps, LiveEvent, Word } from './types.ts';

export interface TabListener {
  onEvent(event: LiveEvent): void;
  /** Events are buffered until this resolves. If it rejects, it is called again later. */
  onOpen(): Promise<void>;
  onLive(): void;
  onOffline(): void;
}

export interface Tab {
  take(word: Word): void;
  stop(): void;
}

const REMEMBERED = 1_000;

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
      // Drops the oldest event, because the resync loads its data anyway.
      if (waiting && waiting.length > REMEMBERED) waiting.shift();
    },
    stop: closed,
  };
}

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
