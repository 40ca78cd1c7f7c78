import assert from 'node:assert/strict';
import { it } from 'node:test';
import { waitBefore } from '../../../../../http/console/app/live/backoff.ts';
import { type Hub, startHub } from '../../../../../http/console/app/live/hub.ts';
import type { LiveEvent, StreamListener, Word } from '../../../../../http/console/app/live/types.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const anEvent = (id: string): LiveEvent => ({ id, type: 'message.received', session_id: null, occurred_at: 1, data: {} });

/** A browser, and the gateway that it asks for streams. Its clock stands still. */
function aBrowser() {
  const tabs = new Set<{ frozen: boolean; receive(word: Word): void }>();
  const locks: { begin: () => void; lost: AbortController; isOver: boolean }[] = [];
  const streams: { listener: StreamListener; over: AbortSignal; end: () => void }[] = [];
  const timers = new Map<() => void, number>();
  let leading: (typeof locks)[number] | undefined;
  let isDown = false;
  let isMute = false;
  let isBrief = false;
  let tried = 0;
  let now = 0;

  const open = () => streams.filter(({ over }) => !over.aborted);

  function nextLeads(): void {
    if (leading) return;
    leading = locks.shift();
    if (leading?.isOver) {
      leading = undefined;
      return nextLeads();
    }
    leading?.begin();
  }

  function lead(work: (lost: AbortSignal) => Promise<void>, signal: AbortSignal, isSeizing: boolean): void {
    const lock = {
      isOver: false,
      lost: new AbortController(),
      begin: () =>
        void work(lock.lost.signal).then(() => {
          if (leading === lock) leading = undefined;
          nextLeads();
        }),
    };
    if (isSeizing) {
      const robbed = leading;
      leading = lock;
      lock.begin();
      robbed?.lost.abort();
      return;
    }
    locks.push(lock);
    signal.addEventListener('abort', () => {
      lock.isOver = true;
    });
    nextLeads();
  }

  function tab() {
    const shown: string[] = [];
    const states: string[] = [];
    let missed: () => Promise<void> = async () => {};
    const own = { frozen: false, receive: (_word: Word): void => {} };
    const hub: Hub = startHub(
      {
        lead,
        tell(word) {
          for (const other of [...tabs]) if (other !== own && !other.frozen) other.receive(word);
        },
        onWord(receive) {
          own.receive = receive;
          tabs.add(own);
          return () => tabs.delete(own);
        },
        async read(listener, over) {
          tried += 1;
          if (isDown) throw new Error('no answer');
          if (!isMute) queueMicrotask(() => listener.onOpen());
          if (isBrief) return settled();
          return new Promise((end) => void streams.push({ listener, over, end }));
        },
        after(ms, run) {
          const timed = (): void => {
            if (!own.frozen) run();
          };
          timers.set(timed, now + ms);
          return () => timers.delete(timed);
        },
        now: () => now,
        random: () => 0,
      },
      {
        onEvent: ({ id }) => shown.push(id),
        onOpen: () => missed(),
        onLive: () => states.push('live'),
        onOffline: () => states.at(-1) === 'offline' || states.push('offline'),
      },
    );
    return {
      ...{ shown, states },
      close: () => hub.stop(),
      wake: () => hub.wake(),
      freeze(isFrozen: boolean) {
        own.frozen = isFrozen;
      },
      onOpen(read: () => Promise<void>) {
        missed = read;
      },
    };
  }

  return {
    ...{ tab, open },
    tried: () => tried,
    event(id: string) {
      for (const { listener } of open()) listener.onEvent(anEvent(id));
    },
    sign() {
      for (const { listener } of open()) listener.onSign();
    },
    cut(down: boolean) {
      isDown = down;
      for (const { end } of open()) end();
    },
    up() {
      isDown = false;
    },
    /** The gateway takes requests and says nothing. */
    mute(value: boolean) {
      isMute = value;
    },
    /** The gateway ends each stream as soon as it is open. */
    brief(value: boolean) {
      isBrief = value;
    },
    /** Time passes unnoticed, as it does while the machine sleeps. */
    sleep(ms: number) {
      now += ms;
    },
    /** Time passes, and what was to happen meanwhile happens. */
    async pass(ms: number) {
      const until = now + ms;
      for (;;) {
        await settled();
        const [next] = [...timers].toSorted(([, one], [, other]) => one - other);
        if (!next || next[1] > until) break;
        now = Math.max(now, next[1]);
        timers.delete(next[0]);
        next[0]();
      }
      now = until;
      await settled();
    },
  };
}

it('twenty tabs share one event stream, and show each event once', async () => {
  const browser = aBrowser();
  const tabs = Array.from({ length: 20 }, () => browser.tab());
  await settled();
  assert.equal(browser.open().length, 1);
  browser.event('a');
  browser.event('b');
  browser.event('a');
  for (const tab of tabs) assert.deepEqual([tab.shown, tab.states.at(-1)], [['a', 'b'], 'live']);
});

it('a new tab is online immediately if another tab already has a stream', async () => {
  const browser = aBrowser();
  browser.tab();
  await settled();
  const late = browser.tab();
  await settled();
  assert.deepEqual([late.states.at(-1), browser.open().length, browser.tried()], ['live', 1, 1]);
});

it('a new leader tab is elected when the old one closes, and every tab gets the missed events', async () => {
  const browser = aBrowser();
  const first = browser.tab();
  await settled();
  const others = [browser.tab(), browser.tab()];
  await settled();
  let reads = 0;
  for (const tab of others)
    tab.onOpen(async () => {
      reads += 1;
    });
  first.close();
  await settled();
  assert.deepEqual([browser.open().length, reads], [1, 2]);
  for (const { states } of others) assert.deepEqual(states.slice(-2), ['offline', 'live']);
  browser.event('a');
  for (const { shown } of others) assert.deepEqual(shown, ['a']);
  for (const tab of others) tab.close();
  await settled();
  assert.equal(browser.open().length, 0);
});

it('a tab that reconnects after an interruption reads the missed events before it goes live', async () => {
  const browser = aBrowser();
  const tab = browser.tab();
  await settled();
  let read = (): void => {};
  tab.onOpen(() => new Promise((resolve) => (read = resolve)));
  browser.cut(true);
  await settled();
  assert.equal(tab.states.at(-1), 'offline');
  await browser.pass(1_000);
  assert.equal(browser.tried(), 3);
  browser.up();
  await browser.pass(1_000);
  assert.equal(browser.open().length, 1);
  browser.event('b');
  assert.deepEqual([tab.states.at(-1), tab.shown], ['offline', []], 'what comes meanwhile waits');
  read();
  await settled();
  assert.deepEqual([tab.states.at(-1), tab.shown], ['live', ['b']]);
});

it('a tab stays offline and queues new events until it has read the missed events', async () => {
  const browser = aBrowser();
  const tab = browser.tab();
  await settled();
  let isRefused = true;
  tab.onOpen(async () => {
    if (isRefused) throw new Error('unavailable');
  });
  browser.cut(false);
  await browser.pass(300);
  browser.event('a');
  await browser.pass(300);
  assert.deepEqual([tab.states.at(-1), tab.shown, browser.open().length], ['offline', [], 1]);
  isRefused = false;
  await browser.pass(1_000);
  assert.deepEqual([tab.states.at(-1), tab.shown], ['live', ['a']]);
});

it('a silent event stream is replaced, and missed events are read', async () => {
  const browser = aBrowser();
  const tabs = [browser.tab(), browser.tab()];
  await settled();
  for (let nth = 0; nth < 8; nth += 1) {
    await browser.pass(15_000);
    browser.sign();
  }
  assert.deepEqual([browser.tried(), tabs[1]?.states], [1, ['offline', 'live']], 'a quiet stream that shows signs of life stays');
  const reads: string[] = [];
  for (const [nth, tab] of tabs.entries()) tab.onOpen(async () => void reads.push(`tab ${nth}`));
  await browser.pass(41_000);
  assert.deepEqual([browser.open().length, browser.tried(), reads.toSorted()], [1, 2, ['tab 0', 'tab 1']]);
  for (const { states } of tabs) assert.deepEqual(states.slice(-2), ['offline', 'live']);
});

it('the delay before a reconnection grows while streams close immediately, and is reset by one that stays open', async () => {
  const browser = aBrowser();
  browser.brief(true);
  browser.tab();
  await browser.pass(60_000);
  assert.ok(browser.tried() < 15, `${browser.tried()} tries in a minute`);
  browser.brief(false);
  await browser.pass(15_000);
  assert.equal(browser.open().length, 1);
  await browser.pass(20_000);
  const before = browser.tried();
  browser.cut(false);
  await browser.pass(300);
  assert.equal(browser.tried() - before, 1, 'a good one is tried again at once');
});

it('a connection attempt that gets no response is abandoned, with a longer timeout each time', async () => {
  const browser = aBrowser();
  browser.mute(true);
  browser.tab();
  await browser.pass(5_900);
  assert.deepEqual([browser.tried(), browser.open().length], [1, 1]);
  await browser.pass(1_000);
  assert.deepEqual([browser.tried(), browser.open().length], [2, 1]);
  await browser.pass(11_000);
  assert.equal(browser.tried(), 2);
  browser.mute(false);
  await browser.pass(3_000);
  assert.deepEqual([browser.tried(), browser.open().length], [3, 1]);
});

it('the visible tab reconnects as soon as the computer wakes up', async () => {
  for (const looked of [0, 1]) {
    const browser = aBrowser();
    const tabs = [browser.tab(), browser.tab()];
    await settled();
    tabs[looked]?.wake();
    await settled();
    assert.equal(browser.tried(), 1, 'a stream that is alive stays');
    browser.sleep(8 * 3_600_000);
    tabs[looked]?.wake();
    await browser.pass(600);
    assert.equal(browser.tried(), 2);
    for (const { states } of tabs) assert.deepEqual(states.slice(-3), ['live', 'offline', 'live']);
  }
});

it('a leader tab that hangs is replaced, and follows the new leader when it resumes', async () => {
  const browser = aBrowser();
  const [first, second, third] = [browser.tab(), browser.tab(), browser.tab()];
  await settled();
  first.freeze(true);
  await browser.pass(101_000);
  assert.equal(browser.tried(), 2);
  for (const { states } of [second, third]) assert.deepEqual(states.slice(-2), ['offline', 'live']);
  first.freeze(false);
  await browser.pass(11_000);
  browser.sign();
  await settled();
  assert.deepEqual([browser.open().length, first.states.at(-1)], [1, 'live']);
  browser.event('a');
  for (const { shown } of [first, second, third]) assert.deepEqual(shown, ['a']);
  for (const tab of [second, third, first]) tab.close();
  await settled();
  assert.equal(browser.open().length, 0);
});

it('the delay before an event stream reconnects is random and at most 15 seconds', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((tries) => waitBefore(tries, 1)),
    [500, 1_000, 2_000, 4_000],
  );
  assert.deepEqual([waitBefore(50, 1), waitBefore(50, 0)], [15_000, 7_500]);
});
