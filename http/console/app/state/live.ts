/**
 * Live events for all pages, from one stream per browser. `liveState` becomes `live` only after
 * every reader (`onResync`) has reloaded its data; reads that hit a rate limit may finish later.
 * The stream stops when the person signs out.
 */

import { effect, signal } from '@preact/signals';
import { ApiError } from '../api/request.ts';
import { browserDeps } from '../live/browser.ts';
import { type Hub, startHub } from '../live/hub.ts';
import type { LiveEvent } from '../live/types.ts';
import { lookForNewBuild } from './build.ts';
import { flushOutbox } from './outbox.ts';
import { person } from './session.ts';

export type { LiveEvent } from '../live/types.ts';

export const liveState = signal<'live' | 'offline'>('offline');
/** True if the page was live before or did not become live in time. The banner is then shown. */
export const wasCut = signal(false);

type Listener = (event: LiveEvent) => void;
type Reader = () => Promise<unknown>;

const listeners = new Set<Listener>();
const readers = new Set<Reader>();

export function onLiveEvent(receive: Listener): () => void {
  listeners.add(receive);
  return () => listeners.delete(receive);
}

/** `read` runs each time the stream opens, because missed events are not replayed. */
export function onResync(read: Reader): () => void {
  readers.add(read);
  return () => readers.delete(read);
}

const PATIENCE_MS = 4_000;

const FLUSH_MS = 5_000;

/** Flushes the outbox first, because a message that is still being sent would appear twice. */
async function resync(): Promise<void> {
  void lookForNewBuild();
  await Promise.race([flushOutbox(), new Promise((resolve) => setTimeout(resolve, FLUSH_MS))]);
  const results = await Promise.allSettled([...readers].map(readOrLater));
  const failed = results.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

const COME_AGAIN_MS = 5_000;

/** If a read hits a rate limit, it is retried later. Until then, the console is still shown as live. */
async function readOrLater(read: Reader): Promise<void> {
  try {
    await read();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 429) throw cause;
    setTimeout(() => readers.has(read) && readOrLater(read).catch(() => {}), cause.retryAfterMs ?? COME_AGAIN_MS);
  }
}

let hub: Hub | null = null;

export function keepLive(): void {
  effect(() => {
    const who = person.value;
    hub?.stop();
    hub = null;
    wasCut.value = false;
    if (!who) return;
    const waiting = setTimeout(() => {
      if (liveState.peek() === 'offline') wasCut.value = true;
    }, PATIENCE_MS);
    hub = startHub(browserDeps(`${who.tenant_id}:${who.agent_id}`), {
      onEvent(event) {
        for (const receive of [...listeners]) receive(event);
      },
      onOpen: resync,
      onLive() {
        clearTimeout(waiting);
        liveState.value = 'live';
        wasCut.value = false;
      },
      onOffline() {
        if (liveState.peek() === 'live') wasCut.value = true;
        liveState.value = 'offline';
      },
    });
  });
  const wake = (): void => hub?.wake();
  // After a machine wakes up from sleep, `online` does not always fire, so these events are used
  // too.
  for (const type of ['online', 'pageshow', 'focus']) addEventListener(type, wake);
  document.addEventListener('visibilitychange', () => document.hidden || wake());
}
