import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Hub, type LiveEvent, type StreamHearer, startHub, type Word, waitBefore } from '../../../../../http/console/app/live/hub.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const anEvent = (id: string): LiveEvent => ({ id, type: 'message.received', session_id: null, occurred_at: 1, data: {} });

/** A browser, and the gateway that it asks for streams. */
function aBrowser() {
  const tabs = new Set<(word: Word) => void>();
  const leads: { run: () => void; isOver: boolean }[] = [];
  const streams: { hearer: StreamHearer; isClosed: boolean }[] = [];
  const timers = new Set<() => void>();
  let isDown = false;
  let leading = false;
  let tried = 0;

  function nextLeads(): void {
    if (leading) return;
    const next = leads.shift();
    if (next?.isOver) return nextLeads();
    leading = next !== undefined;
    next?.run();
  }

  function tab() {
    const shown: string[] = [];
    const states: string[] = [];
    let missed: () => Promise<void> = async () => {};
    let own: ((word: Word) => void) | null = null;
    const hub: Hub = startHub(
      {
        lead(lead, signal) {
          const waiting = {
            isOver: false,
            run: () => {
              void lead().then(() => {
                leading = false;
                nextLeads();
              });
            },
          };
          leads.push(waiting);
          signal.addEventListener('abort', () => {
            waiting.isOver = true;
          });
          nextLeads();
        },
        tell(word) {
          for (const hear of [...tabs]) if (hear !== own) hear(word);
        },
        hear(hear) {
          own = hear;
          tabs.add(hear);
          return () => tabs.delete(hear);
        },
        async open(hearer) {
          tried += 1;
          if (isDown) throw new Error('no answer');
          const stream = { hearer, isClosed: false };
          streams.push(stream);
          queueMicrotask(() => hearer.onOpen());
          return {
            close() {
              stream.isClosed = true;
            },
          };
        },
        after(_ms, run) {
          timers.add(run);
          return () => timers.delete(run);
        },
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
      shown,
      states,
      close: () => hub.stop(),
      onOpen(read: () => Promise<void>) {
        missed = read;
      },
    };
  }

  return {
    tab,
    open: () => streams.filter(({ isClosed }) => !isClosed),
    tried: () => tried,
    event(id: string) {
      for (const { hearer, isClosed } of streams) if (!isClosed) hearer.onEvent(anEvent(id));
    },
    cut(down: boolean) {
      isDown = down;
      for (const stream of streams.filter(({ isClosed }) => !isClosed)) stream.hearer.onEnd();
    },
    up() {
      isDown = false;
    },
    async wait() {
      const [run] = timers;
      timers.clear();
      run?.();
      await settled();
    },
  };
}

it('twenty tabs have one stream, and each shows each event once', async () => {
  const browser = aBrowser();
  const tabs = Array.from({ length: 20 }, () => browser.tab());
  await settled();
  assert.equal(browser.open().length, 1);
  browser.event('a');
  browser.event('b');
  browser.event('a');
  for (const tab of tabs) assert.deepEqual([tab.shown, tab.states.at(-1)], [['a', 'b'], 'live']);
});

it('a tab that comes later is live at once', async () => {
  const browser = aBrowser();
  browser.tab();
  await settled();
  const late = browser.tab();
  await settled();
  assert.deepEqual([late.states.at(-1), browser.open().length, browser.tried()], ['live', 1, 1]);
});

it('another tab leads when the leading one is closed, and all tabs read what nobody heard', async () => {
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

it('after a cut it tries again, each time with a stream of its own, and is live once it has read what it missed', async () => {
  const browser = aBrowser();
  const tab = browser.tab();
  await settled();
  let read = (): void => {};
  tab.onOpen(() => new Promise((resolve) => (read = resolve)));
  browser.cut(true);
  assert.equal(tab.states.at(-1), 'offline');
  await browser.wait();
  await browser.wait();
  assert.equal(browser.tried(), 3);
  browser.up();
  await browser.wait();
  assert.equal(browser.open().length, 1);
  browser.event('b');
  assert.deepEqual([tab.states.at(-1), tab.shown], ['offline', []], 'what comes meanwhile waits');
  read();
  await settled();
  assert.deepEqual([tab.states.at(-1), tab.shown], ['live', ['b']]);
});

it('is not live before it could read what it missed: that is tried again, and what comes meanwhile waits', async () => {
  const browser = aBrowser();
  const tab = browser.tab();
  await settled();
  let isRefused = true;
  tab.onOpen(async () => {
    if (isRefused) throw new Error('unavailable');
  });
  browser.cut(false);
  await browser.wait();
  browser.event('a');
  await browser.wait();
  assert.deepEqual([tab.states.at(-1), tab.shown, browser.open().length], ['offline', [], 1]);
  isRefused = false;
  await browser.wait();
  assert.deepEqual([tab.states.at(-1), tab.shown], ['live', ['a']]);
});

it('waits longer each time, up to a quarter of a minute, and never all browsers equally long', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((tries) => waitBefore(tries, 1)),
    [500, 1_000, 2_000, 4_000],
  );
  assert.deepEqual([waitBefore(50, 1), waitBefore(50, 0)], [15_000, 7_500]);
});
