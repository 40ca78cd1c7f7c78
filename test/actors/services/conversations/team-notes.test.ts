import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aTeam } from '../agents/agents-fixture.ts';
import { inboxOf } from './conversations-fixture.ts';

interface Note {
  readonly id: string;
  readonly text: string;
  readonly author: string | null;
  readonly created_at: number | null;
}

eachStore("a chat's notes", (kind) => {
  it('have an id, an author and a time, and can be deleted by their author or the owner', async (t) => {
    const { gateway, owner, dewi, budi, device } = await aTeam(t, kind);
    const { write, receives } = inboxOf(gateway, owner, device.path);
    write(ANNA, 'Hello');
    await receives(ANNA, 'Hello');
    const path = `${device.path}/chats/${ANNA}/notes`;
    const notes = async (): Promise<readonly Note[]> => (await owner('GET', path)).body.notes;
    await owner('POST', path, { text: 'pays late' });
    const at = gateway.clock.now();
    const added = await dewi.api('POST', path, { text: 'call her' });
    assert.deepEqual(added.body.notes, ['call her', 'pays late']);
    const [hers, owners] = await notes();
    assert.deepEqual([hers?.text, hers?.author, (hers?.created_at ?? 0) >= at], ['call her', 'Dewi', true]);
    assert.deepEqual([owners?.text, owners?.author], ['pays late', 'Acme']);
    assert.notEqual(hers?.id, owners?.id);
    const removed = async (api: typeof owner, id: string | number | undefined) => (await api('DELETE', `${path}/${id}`)).status;
    assert.deepEqual([await removed(budi.api, hers?.id), await removed(budi.api, 0), await removed(dewi.api, owners?.id)], [403, 403, 403]);
    assert.deepEqual(
      [await removed(dewi.api, hers?.id), await removed(dewi.api, hers?.id), await removed(owner, 'unknown')],
      [200, 404, 404],
    );
    assert.deepEqual([await removed(owner, 1), await removed(owner, 0), await notes()], [404, 200, []]);
  });

  it('have stable ids by which they can be deleted, even if an earlier version stored them', async (t) => {
    const { gateway, owner, tenant, device } = await aTeam(t, kind);
    const { write, receives } = inboxOf(gateway, owner, device.path);
    write(ANNA, 'Hello');
    const { chat_id } = await receives(ANNA, 'Hello');
    await chatsIn(gateway.store).change(tenant.id, device.id, chat_id, () => ({ notes: ['twice', 'once', 'twice'] }));
    const path = `${device.path}/chats/${ANNA}/notes`;
    const notes = async (): Promise<readonly Note[]> => (await owner('GET', path)).body.notes;
    const before = await notes();
    assert.deepEqual(
      before.map(({ text, author, created_at }) => [text, author, created_at]),
      ['twice', 'once', 'twice'].map((text) => [text, null, null]),
    );
    assert.equal(new Set(before.map(({ id }) => id)).size, 3);
    assert.equal((await owner('DELETE', `${path}/${before[0]?.id}`)).status, 200);
    await owner('POST', path, { text: 'new' });
    assert.deepEqual((await notes()).slice(1), before.slice(1));
  });
});
