import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HooksInHand, handledAtOnce } from '../../../../actors/services/stores/at-once.ts';
import type { Outcome, StoreLinkCommand, UnstoredHook } from '../../../../actors/store-link/protocol.ts';
import type { ActorRef } from '../../../../runtime/actor-system/actor.ts';

const RECEIVED = { topic: 'orders/create', body: '{}', mark: null, shopDomain: null, arrivedAt: 1 };

/** A store link that does this with a webhook, and answers like this. */
function aLink(handle: (hook: UnstoredHook) => Promise<Outcome | null>): ActorRef<StoreLinkCommand> {
  const ask = (command: StoreLinkCommand): Promise<unknown> => (command.type === 'hookCame' ? handle(command.hook) : Promise.resolve(null));
  return { kind: 'store-link', id: 'one', tell() {}, ask } as unknown as ActorRef<StoreLinkCommand>;
}

it("a shop's webhook is left to the receiving node if the store link does not accept it in time", async () => {
  const offered: UnstoredHook[] = [];
  const slow = aLink((hook) => {
    offered.push(hook);
    return Promise.reject(new Error('the answer did not come in time'));
  });
  assert.equal(await handledAtOnce(slow, RECEIVED), null);
  assert.equal(offered[0]?.take(), false);
});

it("a shop's webhook stays with the store link that is storing it, even if the call to the link has failed", async () => {
  const taken: UnstoredHook[] = [];
  const slow = aLink((hook) => {
    if (hook.take()) taken.push(hook);
    return Promise.reject(new Error('the answer did not come in time'));
  });
  const answer = handledAtOnce(slow, RECEIVED);
  const early = await Promise.race([answer, new Promise((resolve) => setImmediate(() => resolve('it waits')))]);
  assert.equal(early, 'it waits');
  taken[0]?.settle('sent');
  assert.equal(await answer, 'sent');
});

it("a shop's webhook is left to the receiving node if it cannot be stored", async () => {
  const failing = aLink(async (hook) => {
    hook.take();
    hook.settle(null);
    return null;
  });
  assert.equal(await handledAtOnce(failing, RECEIVED), null);
});

it("a shop's webhook does not overtake another one that is still being stored", async () => {
  const inHand = new HooksInHand();
  const stored = Promise.withResolvers<void>();
  const seen: string[] = [];
  const receive = (name: string, linkId: string, until: Promise<void>) =>
    inHand.hold(linkId, async (isAlone) => {
      seen.push(`${name} ${isAlone}`);
      await until;
    });
  const first = receive('first', 'one', stored.promise);
  await receive('second', 'one', Promise.resolve());
  await receive('third', 'one', Promise.resolve());
  await receive('elsewhere', 'two', Promise.resolve());
  stored.reject(new Error('the store is away'));
  await assert.rejects(first, /away/);
  await receive('last', 'one', Promise.resolve());
  assert.deepEqual(seen, ['first true', 'second false', 'third false', 'elsewhere true', 'last true']);
});
