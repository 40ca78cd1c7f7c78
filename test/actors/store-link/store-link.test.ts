import assert from 'node:assert/strict';
import { it } from 'node:test';
import { storeLink } from '../../../actors/store-link/behaviour/store-link.ts';
import type { StoreLinkCommand, StoreLinkEvent, Work } from '../../../actors/store-link/protocol.ts';
import type { Self } from '../../../runtime/actor-system/actor.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SETTINGS } from './harness.ts';

const ASKED_MS = 10_000;
const DRAINED_MS = 20_000;

const HOOK: Work = {
  hookId: 'hook',
  fact: { type: 'ignored', ref: null, detail: 'of no interest' },
  arrivedAt: 0,
  settings: SETTINGS,
  known: { order: null, checkouts: [], orderedAt: null },
};

it('a store link resumes processing webhooks if a move to another node is abandoned', async () => {
  const link = await aLink();
  link.receive({ type: 'loaded', work: HOOK });
  const drained = assert.rejects(link.ref.ask({ type: 'drain' }, ASKED_MS), { code: 'TIMED_OUT' });
  await link.clock.advance(ASKED_MS);
  await drained;
  link.receive({ type: 'applied', hookId: HOOK.hookId, outcome: 'ignored', more: false });
  const meanwhile = link.ref.ask({ type: 'hookArrived', hookId: 'next' });
  await link.clock.advance(1_000);
  assert.equal(await meanwhile, null, 'it still may be ended any moment, and what is stored waits');
  assert.deepEqual(link.done, ['load', 'apply']);
  await link.clock.advance(DRAINED_MS);
  assert.deepEqual(link.done, ['load', 'apply', 'load']);
  const later = link.ref.ask({ type: 'hookArrived', hookId: 'later' });
  await link.clock.advance(0);
  link.receive({ type: 'loaded', work: { ...HOOK, hookId: 'later' } });
  link.receive({ type: 'applied', hookId: 'later', outcome: 'ignored', more: false });
  await link.clock.advance(0);
  assert.equal(await later, 'ignored');
});

it('a store link that was drained but not stopped resumes processing webhooks after a pause', async () => {
  const link = await aLink();
  link.receive({ type: 'loaded', work: null });
  await link.clock.advance(0);
  assert.equal(await link.ref.ask({ type: 'drain' }), null);
  await link.clock.advance(DRAINED_MS - 1);
  assert.deepEqual(link.done, ['load']);
  await link.clock.advance(1);
  assert.deepEqual(link.done, ['load', 'load']);
});

/** The link of a store that has begun to load, and what it does. */
async function aLink() {
  const clock = new VirtualClock();
  const system = new ActorSystem(clock);
  const done: string[] = [];
  let self: Self<StoreLinkEvent> | null = null;
  system.register({
    behaviour: storeLink,
    policy: { restart: 'transient', atMost: 1, withinMs: 1_000, backoffMs: () => 10 },
    mailboxLimit: 10,
    wake: (id) => ({ tenantId: 't', linkId: id, epoch: 1 }),
    effectHandler(_id, own: Self<StoreLinkEvent>) {
      self = own;
      return { perform: (effect) => void done.push(effect.do) };
    },
  });
  const ref = system.ref<StoreLinkCommand>('store-link', 'toko');
  system.wake('store-link', 'toko');
  await clock.advance(0);
  return { clock, ref, done, receive: (event: StoreLinkEvent) => self?.receive(event) };
}
