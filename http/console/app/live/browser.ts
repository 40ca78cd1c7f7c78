import { call } from '../api/client.ts';
import type { HubDeps, LiveEvent, StreamHearer, Word } from './hub.ts';

/** What the console shows as it happens; statuses among them. */
const NAMES = [
  'message.received',
  'message.sent',
  'message.failed',
  'message.delivered',
  'message.read',
  'message.reaction',
  'message.edited',
  'message.deleted',
  'poll.vote',
  'chat.assigned',
  'consent.changed',
  'session.connected',
  'session.disconnected',
  'session.alert',
  'session.restricted',
  'session.passkey',
  'qr.generated',
  'quota.warning',
  'blast.progress',
  'blast.waiting',
  'blast.paused',
  'blast.completed',
  'scheduled.sent',
  'recurring.executed',
  'webhook.test',
] as const;

/** The hub's means in a browser. `who`: tabs in which somebody else is signed in have a hub of their own. */
export function browserDeps(who: string): HubDeps {
  const name = `console-live:${who}`;
  const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel(name) : null;
  return {
    lead(lead, signal) {
      // Without locks (plain http at an address that is not this machine) each tab is its own leader.
      if (!('locks' in navigator) || !navigator.locks) void lead();
      else navigator.locks.request(name, { signal }, lead).catch(() => {});
      signal.addEventListener('abort', () => channel?.close());
    },
    tell(word) {
      try {
        channel?.postMessage(word);
      } catch {
        // It was closed in this moment.
      }
    },
    hear(hear) {
      if (channel && navigator.locks) channel.onmessage = (event: MessageEvent<Word>) => hear(event.data);
      return () => {
        if (channel) channel.onmessage = null;
      };
    },
    open: openStream,
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
  };
}

/** A ticket opens one stream once: a browser that asks for the same address again is refused, so each try has its own. */
async function openStream(hearer: StreamHearer) {
  const { url } = await call('createEventsTicket', { body: { events: [...NAMES] } });
  const source = new EventSource(url);
  source.onopen = () => hearer.onOpen();
  source.onerror = () => hearer.onEnd();
  for (const name of NAMES)
    source.addEventListener(name, (event: MessageEvent<string>) => {
      const told: LiveEvent = JSON.parse(event.data);
      hearer.onEvent(told);
    });
  return { close: () => source.close() };
}
