import { headersOf } from '../../../../../actors/services/webhooks/signature.ts';
import { SigningBuffer } from '../../../../../actors/services/webhooks/signing-buffer.ts';
import { systemClock } from '../../../../../runtime/clock.ts';
import { asError } from '../../../../../runtime/errors.ts';
import type { OpenSink, Outgoing } from '../sink.ts';
import { prefixed } from './headers.ts';

const PATIENCE_MS = 10_000;

export const openHttp: OpenSink = async ({ shown }, { secret }) => ({
  atOnce: 1,
  held: null,
  async deliver(events) {
    let said = '';
    for (const event of events) said = await posted(event, shown, secret);
    return said;
  },
  close: async () => {},
});

async function posted(event: Outgoing, to: string, secret: string): Promise<string> {
  const signingBuffer = new SigningBuffer(event.body);
  const flat = headersOf({ secret, eventId: event.id, event: event.type, signingBuffer, now: systemClock.now() });
  const headers = Object.fromEntries(flat.flatMap((name, nth) => (nth % 2 === 0 ? [[name, flat[nth + 1] ?? '']] : [])));
  const answer = await fetch(to, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...headers, ...(event.isCloudEvent && prefixed('ce-', event)) },
    body: new Uint8Array(signingBuffer.body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((cause: unknown) => {
    throw new Error(asError(cause).name === 'TimeoutError' ? 'no answer' : 'not reached', { cause });
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(String(answer.status));
  return String(answer.status);
}
