import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway } from '../../../support/gateway.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';
import { aReceiver } from '../webhooks/receiver.ts';
import { DORA, erasingOn, lived, remembering } from './erasure-fixture.ts';

/** By then the claim of a process that died is over. */
const CLAIM_MS = 10_000;

eachStore('an erasure', (kind) => {
  for (const isMade of [true, false])
    it(`continues with the interrupted step after a crash ${isMade ? 'just after' : 'just before'} the step's write`, async (t) => {
      const receiver = await aReceiver(t);
      const remembered = remembering(kind);
      const gateway = await aGateway(t, { kind: remembered.kind, config: { egress_allow: [receiver.place] } });
      const { tenant } = await lived(gateway, receiver.url);
      const names = [...remembered.opened.keys()];
      let now = gateway.clock.now();
      const { erasing, erasures } = erasingOn(gateway.store, names, gateway.node.secrets.audit);
      const { _id } = await erasing.begin(tenant.id, DORA, now);
      let lives = 0;
      // The first write of each life is the claim; a step has up to four more before it is noted.
      for (let row = await erasures.find(tenant.id, _id); row?.open; row = await erasures.find(tenant.id, _id)) {
        lives += 1;
        assert.ok(lives < 500, 'it does not come to an end');
        now += CLAIM_MS + 1;
        const mortal = mortalStore(gateway.store, { write: (isMade ? 2 : 3) + (lives % 5), isMade });
        await erasingOn(mortal.store, names, gateway.node.secrets.audit)
          .erasing.continueAll(now)
          .catch(() => {});
      }
      assert.ok(lives > 20, `${lives} lives`);
      assert.deepEqual(await remembered.traces(), {});
    });
});
