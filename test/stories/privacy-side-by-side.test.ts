import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replacingStore } from '../../scripts/faults/replacing-store.ts';
import { deletionsIn } from '../../store/privacy/deletions.ts';
import { ANNA, aGateway } from '../support/gateway.ts';
import { eachStore, type StoreKind } from '../support/stores.ts';

const GRACE_MS = 30 * 60_000;

/** A store in which nobody gets to the end of the segments, as if there were very many, until they are let go. */
function endless(kind: StoreKind) {
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const fresh: StoreKind['fresh'] = async (scope) =>
    replacingStore(await kind.fresh(scope), (name, raw) => ({
      find(...asked) {
        const cursor = raw.find(...asked);
        if (name !== 'segments') return cursor;
        return {
          toArray: () => cursor.toArray(),
          async *[Symbol.asyncIterator]() {
            begun.resolve();
            await mayEnd.promise;
            yield* cursor;
          },
        };
      },
    }));
  return { kind: { name: kind.name, fresh }, begun: begun.promise, letGo: () => mayEnd.resolve() };
}

eachStore("a business's long erasure", (kind) => {
  it('keeps nobody else from ending their account', async (t) => {
    const slow = endless(kind);
    const gateway = await aGateway(t, { kind: slow.kind });
    const acme = await gateway.signUp();
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    const { status, body } = await gateway.during(acme.api('POST', '/v1/privacy/erasures', { phone: `+${ANNA}`, confirm: true }));
    assert.equal(status, 202);
    await slow.begun;
    assert.equal((await gateway.during(globex.api('DELETE', '/v1/account', { confirm: true }))).status, 202);
    await gateway.clock.advance(GRACE_MS);
    await gateway.until('the account is gone', async () => (await deletionsIn(gateway.store).find(globex.id))?.done_at);
    slow.letGo();
    await gateway.until('she is erased', async () => (await acme.api('GET', `/v1/privacy/erasures/${body.id}`)).body.status === 'done');
  });
});
