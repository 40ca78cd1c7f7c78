import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createConsentService } from '../../../../actors/services/consent/consent-service.ts';
import type { Store } from '../../../../store/port.ts';
import { testConsentsIn } from '../../../support/consents.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';

const [HIDDEN, DIALLED, REGISTERED] = ['123@lid', '6281311110001', '6281211110001'];

const serviceOn = (store: Store) =>
  createConsentService({
    consents: testConsentsIn(store),
    eventLog: { record: async () => {} },
    cancelMarketing: async () => {},
    complained: async () => {},
    confirm: async () => {},
  });

eachStore('the consent of a person who was merged', (kind) => {
  it('contains the history of each address exactly once, even after a crash during the merge', async (t) => {
    for (const isMade of [true, false])
      for (let write = 1; ; write += 1) {
        const store = await kind.fresh(t);
        const [consents, service] = [testConsentsIn(store), serviceOn(store)];
        await store.prepare();
        let at = 0;
        const set = async (who: string, status: 'opted_in' | 'opted_out', note: string) => {
          at += 1;
          await service.set('t1', who, { status, source: 'dashboard', note, at });
        };
        await set(REGISTERED, 'opted_in', 'r1');
        await set(DIALLED, 'opted_out', 'd1');
        await set(HIDDEN, 'opted_out', 'h1');
        await set(REGISTERED, 'opted_out', 'r2');
        await set(DIALLED, 'opted_in', 'd2');
        await set(HIDDEN, 'opted_out', 'h2');
        const mortal = mortalStore(store, { write, isMade });
        const mergeOn = async (on: Store) => {
          await serviceOn(on).merge('t1', HIDDEN, DIALLED, 10);
          await serviceOn(on).merge('t1', DIALLED, REGISTERED, 10);
        };
        await mergeOn(mortal.store).catch(() => {});
        await mergeOn(store);
        const history = await consents.history('t1', REGISTERED, 10);
        assert.deepEqual(
          history.map(({ note }) => note),
          ['h2', 'd2', 'r2', 'h1', 'd1', 'r1'],
          `killed at write ${write}`,
        );
        assert.equal((await consents.find('t1', REGISTERED))?.status, 'opted_out');
        for (const gone of [HIDDEN, DIALLED]) assert.deepEqual(await consents.history('t1', gone, 10), []);
        await consents.forget('t1', [REGISTERED], [REGISTERED], 20);
        assert.deepEqual(await consents.history('t1', REGISTERED, 10), []);
        if (!mortal.isDead()) break;
      }
  });
});
