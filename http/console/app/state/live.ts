import { effect, signal } from '@preact/signals';
import { call } from '../api/client.ts';
import { person } from './session.ts';

/** An event of the live stream. */
export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly session_id: string | null;
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Is the stream open? */
export const liveState = signal<'live' | 'offline'>('offline');
/** It was open, or tried, and is not: the banner says so. */
export const wasCut = signal(false);

type Hearer = (event: LiveEvent) => void;

const hearers = new Set<Hearer>();

/** Calls `hear` with each event from now on. Call what it gives to stop. */
export function onLive(hear: Hearer): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** What the console shows as it happens. */
const NAMES = [
  'message.received',
  'message.sent',
  'message.failed',
  'message.delivered',
  'message.read',
  'session.connected',
  'session.disconnected',
  'session.restricted',
  'session.passkey',
  'qr.generated',
] as const;

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

let source: EventSource | null = null;
let next: ReturnType<typeof setTimeout> | undefined;
let tries = 0;

/** Keeps a stream open while somebody is signed in. A ticket opens one stream once, so each try asks for its own. */
export function keepLive(): void {
  effect(() => {
    const isIn = Boolean(person.value);
    close();
    if (isIn) void open();
  });
  addEventListener('online', () => {
    if (person.peek() && !source) void open();
  });
}

async function open(): Promise<void> {
  clearTimeout(next);
  try {
    const { url } = await call('createEventsTicket', { body: { events: [...NAMES] } });
    const stream = new EventSource(url);
    source?.close();
    source = stream;
    stream.onopen = () => {
      tries = 0;
      liveState.value = 'live';
      wasCut.value = false;
    };
    stream.onerror = () => again(stream);
    for (const name of NAMES) stream.addEventListener(name, (event) => heard(event));
  } catch {
    again(null);
  }
}

function heard(event: MessageEvent<string>): void {
  const told: LiveEvent = JSON.parse(event.data);
  for (const hear of hearers) hear(told);
}

function again(stream: EventSource | null): void {
  if (stream !== source) return;
  close();
  wasCut.value = true;
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + Math.random() / 2);
  tries += 1;
  next = setTimeout(() => {
    if (person.peek()) void open();
  }, wait);
}

function close(): void {
  clearTimeout(next);
  source?.close();
  source = null;
  liveState.value = 'offline';
}
