import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createErasing, type Erasing } from '../../../../actors/services/privacy/erasure.ts';
import { createSealer } from '../../../../runtime/sealing/seal.ts';
import { aiChatsIn } from '../../../../store/ai-reply/chats.ts';
import { unansweredIn } from '../../../../store/ai-reply/unanswered.ts';
import { auditLogIn } from '../../../../store/audit/audit-log.ts';
import { consentsIn } from '../../../../store/consent/consents.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { mediaIn } from '../../../../store/media/media.ts';
import type { Collection, Doc, Store } from '../../../../store/port.ts';
import { type Erasures, erasuresIn } from '../../../../store/privacy/erasures.ts';
import { storeLinksIn } from '../../../../store/store-links/links.ts';
import { aGateway } from '../../../support/gateway.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';
import { aReceiver } from '../webhooks/receiver.ts';
import { DORA, lived, remembering } from './erasure-fixture.ts';

const sealer = createSealer([{ id: 'k1', bytes: Buffer.alloc(32, 1) }]);
const CLAIM_MS = 5 * 60_000;

/** One process's erasing. */
function erasingOn(store: Store, names: Iterable<string>, auditKey: Buffer): { readonly erasing: Erasing; readonly erasures: Erasures } {
  const erasures = erasuresIn(store);
  const collections = new Map<string, Collection<Doc>>();
  for (const name of names) collections.set(name, store.collection({ name, indexes: [] }));
  const erasing = createErasing({
    erasures,
    consents: consentsIn(store, (tenantId, subject) => sealer.keyedHash(tenantId, subject)),
    identities: identitiesIn(store),
    devices: devicesIn(store),
    links: storeLinksIn(store),
    unanswered: unansweredIn(store),
    aiChats: aiChatsIn(store),
    media: { remove: async (tenantId, key) => void (await mediaIn(store).remove(tenantId, key)) },
    auditLog: auditLogIn(store, auditKey),
    eventLog: { record: async () => {} },
    sealer,
    collections,
    failed: () => {},
  });
  return { erasing, erasures };
}

eachStore('an erasure whose process dies at every write', (kind) => {
  for (const isMade of [true, false])
    it(`goes on where it was, ${isMade ? 'just after' : 'just before'} the write`, async (t) => {
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
