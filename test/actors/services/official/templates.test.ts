import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MockAgent } from 'undici';
import type { Draft } from '../../../../actors/services/events/types.ts';
import { syncOfficial } from '../../../../actors/services/official/templates.ts';
import { labelsIn } from '../../../../store/contacts/labels.ts';
import { anOfficialLogin } from '../../../support/official-login.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const OWNER = { tenantId: 't', sessionId: 's', epoch: 1 };

async function anAccount(t: Scope, kind: StoreKind) {
  const labels = labelsIn(await kind.fresh(t));
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  const login = anOfficialLogin(dispatcher);
  const rows = () => labels.templates.list('t');
  const statuses = async () => (await rows()).map(({ official }) => official?.status);
  /** The events, each with the statuses of the rows as a reader sees them on its arrival. */
  const told: { readonly row: string; readonly status: unknown; readonly seen: readonly unknown[] }[] = [];
  let isDying = false;
  const record = async (_tenant: string, drafts: readonly Draft[]) => {
    if (isDying) throw new Error('the process died');
    for (const { row, data } of drafts) told.push({ row, status: 'status' in data && data.status, seen: await statuses() });
  };
  let now = login.clock.now();
  const sync = (...listed: readonly string[]) => {
    const data = listed.map((status) => ({ id: '1', name: 'sale', language: 'id', category: 'MARKETING', status, components: [] }));
    dispatcher
      .get('https://graph.example')
      .intercept({ path: /message_templates/ })
      .reply(200, { data });
    now += 1_000;
    return syncOfficial({ labels, record, now: () => now }, OWNER, login);
  };
  const dying = async (...listed: readonly string[]) => {
    isDying = true;
    await assert.rejects(sync(...listed), /died/);
    isDying = false;
  };
  return { sync, dying, told, rows };
}

eachStore('events about official templates', (kind) => {
  it("are published once the template's status has been stored", async (t) => {
    const { sync, told, rows } = await anAccount(t, kind);
    for (const listed of [['PENDING'], ['APPROVED'], ['APPROVED'], []]) await sync(...listed);
    assert.deepEqual(
      told.map(({ status, seen }) => [status, seen]),
      [
        ['approved', ['approved']],
        ['deleted', ['deleted']],
      ],
    );
    assert.deepEqual(await rows(), []);
  });

  it('are published exactly once, at the next sync, if the process crashes before publishing them', async (t) => {
    const { sync, dying, told } = await anAccount(t, kind);
    await sync('PENDING');
    await dying('APPROVED');
    await sync('APPROVED');
    await sync('PAUSED');
    await dying();
    await sync();
    assert.deepEqual(
      told.map(({ status }) => status),
      ['approved', 'paused', 'deleted'],
    );
    assert.equal(new Set(told.map(({ row }) => row)).size, 3);
  });
});
