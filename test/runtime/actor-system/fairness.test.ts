import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Behaviour, ReplyTo } from '../../../runtime/actor-system/behaviour.ts';
import { reply } from '../../../runtime/actor-system/behaviour.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { settle, VirtualClock } from '../../../runtime/testing/virtual-clock.ts';

type Say = { readonly type: 'go' } | { readonly type: 'count'; readonly replyTo: ReplyTo<number> };
type Go = { readonly type: 'went' };
type Effect = { readonly do: 'goOn' };

const restless: Behaviour<null, number, Say, Go, Effect> = {
  kind: 'restless',
  start: () => [0],
  handle: (count, msg) => (msg.type === 'count' ? [count, reply(msg.replyTo, count)] : [count + 1, { do: 'goOn' }]),
};

/** Actors that never run out of things to say; `goOn` says how one of them keeps going, until `enough`. */
function aFlood(goOn: (speaker: { id: string; receive(event: Go): void }, system: ActorSystem) => void, clock = systemClock) {
  const flood = { enough: false, said: 0 };
  const system = new ActorSystem(clock, { onFailure: (_kind, _id, cause) => assert.fail(String(cause)) });
  system.register<undefined, number, Say, Go, Effect>({
    behaviour: { ...restless, start: () => [0] },
    policy: { restart: 'temporary', atMost: 0, withinMs: 0, backoffMs: () => 0 },
    mailboxLimit: 100,
    wake: () => undefined,
    effectHandler: (_id, self) => ({
      perform() {
        flood.said += 1;
        if (!flood.enough) goOn(self, system);
      },
    }),
  });
  return { flood, system, start: (id: string) => system.ref<Say>('restless', id).tell({ type: 'go' }) };
}

const loopTurns = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('actors that send messages endlessly', () => {
  for (const [clock, name] of [
    [systemClock, 'the real clock'],
    [new VirtualClock(), 'a stopped clock'],
  ] as const) {
    it(`do not block the event loop by sending to themselves, with ${name}`, async () => {
      const { flood, start, system } = aFlood((self) => self.receive({ type: 'went' }), clock);
      start('a');
      for (let turns = 0; turns < 10; turns += 1) await loopTurns();
      flood.enough = true;
      assert.ok(flood.said > 1_000, `the flood ran: ${flood.said}`);
      await system.shutdown();
    });

    it(`do not block the event loop by sending to each other, with ${name}`, async () => {
      const { flood, start, system } = aFlood(
        (self, all) => all.ref<Say>('restless', self.id === 'a' ? 'b' : 'a').tell({ type: 'go' }),
        clock,
      );
      start('a');
      for (let turns = 0; turns < 10; turns += 1) await loopTurns();
      flood.enough = true;
      assert.ok(flood.said > 1_000, `the flood ran: ${flood.said}`);
      await system.shutdown();
    });
  }

  it('do not block the event loop by answering an endless stream of requests', async () => {
    const { start, system } = aFlood(() => {});
    start('a');
    let asking = true;
    let asked = 0;
    const asker = (async () => {
      while (asking) {
        await system.ref<Say>('restless', 'a').ask({ type: 'count' });
        asked += 1;
      }
    })();
    for (let turns = 0; turns < 10; turns += 1) await loopTurns();
    asking = false;
    await asker;
    assert.ok(asked > 100, `it asked: ${asked}`);
    await system.shutdown();
  });

  it('do not starve an actor that is rarely used', async () => {
    const { flood, start, system } = aFlood((self) => self.receive({ type: 'went' }));
    for (const id of ['a', 'b', 'c']) start(id);
    await loopTurns();
    assert.equal(await system.ref<Say>('restless', 'quiet').ask({ type: 'count' }), 0);
    flood.enough = true;
    await settle();
    await system.shutdown();
  });
});
