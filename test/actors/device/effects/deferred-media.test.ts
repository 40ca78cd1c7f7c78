import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DeferredMediaLoader } from '../../../../actors/device/effects/deferred-media.ts';
import type { DeviceFiles } from '../../../../actors/services/media/device-files.ts';
import { codeOf } from '../../../../runtime/errors.ts';
import { deferredMediaIn } from '../../../../store/messaging/deferred-media.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const unused = (): never => assert.fail('without a connection nothing is fetched');
const files: DeviceFiles = { open: unused, keepInbound: unused, dropInbound: unused };

eachStore('a file that was left on the network', (kind) => {
  it('is waited for by some at once; one more is refused, until they were answered', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const deferredMedia = deferredMediaIn(store);
    await store.prepare();
    await messages.accept(aMessageRow({ _id: 'a', created_at: 1, deferred_media: { url: 'somewhere' } }));
    const loader = new DeferredMediaLoader({ deferredMedia, files }, { tenantId: 't', sessionId: 's', epoch: 1 });
    const ask = (): Promise<unknown> => loader.fetch('a', null).then(() => 'fetched', codeOf);
    const answers = await Promise.all(Array.from({ length: 19 }, ask));
    assert.deepEqual(answers, [...new Array(17).fill('NOT_CONNECTED'), 'OVERLOADED', 'OVERLOADED']);
    assert.equal(await ask(), 'NOT_CONNECTED');
  });
});
