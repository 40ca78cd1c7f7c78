import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type EventRow, eventsSpec } from '../../../../store/events/events.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aWebhookFixture, type Fixture } from '../webhooks/webhooks-fixture.ts';

const MINUTE = 60_000;
/** Longer than events are kept, and with them the memory of what was recorded. */
const LATER_MS = 25 * 60 * MINUTE;
const EVENTS = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.edited',
  'message.deleted',
  'message.reaction',
];

/** Nobody stays signed in for a day: time passes in a leap, in which what expired is swept. */
async function leap({ gateway: { clock, store } }: Fixture): Promise<void> {
  clock.jump(LATER_MS);
  await clock.advance(2 * MINUTE);
  await store.sweep(clock.now());
  const left = await store.collection<EventRow>(eventsSpec).find({}).toArray();
  assert.deepEqual(
    left.filter(({ type }) => EVENTS.includes(type)),
    [],
    'none of them is remembered',
  );
}

async function aFixture(t: Parameters<typeof aWebhookFixture>[0], kind: Parameters<typeof aWebhookFixture>[1]) {
  const fixture = await aWebhookFixture(t, kind);
  await fixture.subscribe(EVENTS);
  const told = (): string => fixture.receiver.received.map(({ body }) => body.type.replace('message.', '')).join();
  const until = (expected: string) => fixture.gateway.until(expected, () => told().length >= expected.length);
  /** Exactly these were told so far, and nothing more is. */
  const areTold = async (expected: string): Promise<void> => {
    await until(expected);
    await fixture.gateway.clock.advance(MINUTE);
    assert.equal(told(), expected);
  };
  return { ...fixture, areTold, phone: (digits: string) => fixture.gateway.sandbox.phone(digits), leap: () => leap(fixture) };
}

eachStore('a late change to a message whose events have expired', (kind) => {
  // Edits are not among them: they count within 20 minutes only.
  it('is published once if it is a receipt or deletion of a sent message', async (t) => {
    const { device, phone, areTold, leap } = await aFixture(t, kind);
    phone(ANNA).set({ online: false });
    const id = await device.text(ANNA, 'hello');
    await areTold('sent');
    const { wa_message_id: target } = await device.message(id);
    await leap();
    phone(ANNA).set({ online: true });
    await areTold('sent,delivered,read');
    await leap();
    phone(PHONE).do({ to: ANNA, target, act: { kind: 'deleted' } });
    await areTold('sent,delivered,read,deleted');
  });

  it('is published once if it is the deletion of a received message', async (t) => {
    const { phone, areTold, leap } = await aFixture(t, kind);
    const { netId: target } = phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'one' } });
    await areTold('received');
    await leap();
    phone(ANNA).do({ to: PHONE, target, act: { kind: 'deleted' } });
    await areTold('received,deleted');
  });
});
