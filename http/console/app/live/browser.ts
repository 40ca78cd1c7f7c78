import { createParser } from 'eventsource-parser';
import type { Schemas } from '../../../openapi/client/gateway.generated.ts';
import { call } from '../api/client.ts';
import { accepted, ask } from '../api/request.ts';
import type { HubDeps, LiveEvent, StreamListener, Word } from './types.ts';

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
  'chat.snooze_ended',
  'consent.changed',
  'contact.merged',
  'history.loaded',
  'session.connected',
  'session.disconnected',
  'session.alert',
  'session.restricted',
  'session.passkey',
  'session.health',
  'template.updated',
  'qr.generated',
  'group.joined',
  'group.left',
  'group.updated',
  'group.participants',
  'channel.joined',
  'channel.left',
  'channel.updated',
  'quota.warning',
  'blast.progress',
  'blast.waiting',
  'blast.paused',
  'blast.completed',
  'scheduled.sent',
  'recurring.executed',
  'webhook.test',
] as const;

/** Tabs in which different people are signed in use separate hubs. */
export function browserDeps(who: string): HubDeps {
  const name = `console-live:${who}`;
  const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel(name) : null;
  return {
    lead(lead, signal, isSeizing) {
      const lost = new AbortController();
      // Without the Web Locks API (plain http on another machine), each tab is its own leader.
      if (!('locks' in navigator) || !navigator.locks) void lead(lost.signal);
      else
        navigator.locks
          .request(name, isSeizing ? { steal: true } : { signal }, () => lead(lost.signal))
          // Another tab has taken the lead, or the request was withdrawn.
          .catch(() => lost.abort());
    },
    tell(word) {
      try {
        channel?.postMessage(word);
      } catch {
        // Nothing needs to be done, because the channel is already closed.
      }
    },
    onWord(receive) {
      if (channel && navigator.locks) channel.onmessage = (event: MessageEvent<Word>) => receive(event.data);
      return () => channel?.close();
    },
    read: (listener, over) => readStream(NAMES, listener, over),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    now: () => Date.now(),
    random: () => Math.random(),
  };
}

type EventName = NonNullable<Schemas['CreateEventsTicketRequest']['events']>[number];

/** Uses `fetch`, which shows keep-alive comments that EventSource hides. Each stream needs a new ticket. */
export async function readStream(names: readonly EventName[], listener: StreamListener, over: AbortSignal): Promise<void> {
  const { url } = await call('createEventsTicket', { body: { events: [...names] } }, { signal: over });
  const { body } = await accepted(await ask({ method: 'GET', path: url, signal: over }));
  if (!body) return;
  listener.onOpen();
  const parser = createParser({ onEvent: ({ data }) => listener.onEvent(eventIn(data)) });
  const text = new TextDecoder();
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    listener.onSign();
    parser.feed(text.decode(part.value, { stream: true }));
  }
}

const eventIn = (data: string): LiveEvent => JSON.parse(data);
