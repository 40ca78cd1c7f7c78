import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { GroupFact, GroupRecord } from '../../../../actors/network/groups.ts';
import type { Draft } from '../../../../actors/services/events/types.ts';
import { createFactKeeper, type FactDeps } from '../../../../actors/services/facts/keep-facts.ts';
import { linkedDevice } from '../../../../store/devices/linked.ts';
import { groupsIn } from '../../../../store/groups/groups.ts';
import { eachStore } from '../../../support/stores.ts';

const ID = '120363000000000001@g.us';
const BY = { owner: { tenantId: 'ten_1', sessionId: 'ses_1', epoch: 1 }, phone: '628110' };
const person = (phone: string) => ({ phone, lid: null, username: null, name: null });
const member = (phone: string) => ({ ...person(phone), id: `${phone}@s.whatsapp.net`, admin: null });

const GROUP: GroupRecord = {
  ...{ id: ID, subject: 'Choir', owner: null, creation: null, description: null, size: 2, announce: false, restrict: false },
  ...{ ephemeral: 0, joinApproval: false, memberAddMode: 'all', community: null, isCommunity: false },
  members: [member('628111'), member('628112')],
};

const came: GroupFact = {
  ...{ fact: 'group.participants', group_id: ID, by: null, action: 'add', reason: null },
  participants: [person('628113')],
};

eachStore('a change reported by the network', (kind) => {
  it('keeps the stored group picture if the device has just set that picture', async (t) => {
    const groups = groupsIn<GroupRecord>(await kind.fresh(t));
    const keep = createFactKeeper({
      groups,
      persons: { describe: async (_tenant, people) => people },
      async record(_tenant, _drafts) {},
    } as FactDeps);
    await groups.put(BY, { group_id: ID, subject: 'Choir', record: GROUP }, 9_000);
    const notice = (token: string, picture: string | null) =>
      keep(BY, { token, at: 2_000, facts: [{ fact: 'group.updated', group_id: ID, by: null, changed: { picture } }] }, 9_000);
    const kept = async () => (await groups.find(linkedDevice(BY), ID))?.picture;
    for (const next of ['99', null]) {
      await groups.setPicture(linkedDevice(BY), ID, { id: '', key: 'med_1' });
      await notice('own', '17');
      assert.deepEqual(await kept(), { id: '17', key: 'med_1' });
      await notice('next', next);
      assert.equal(await kept(), undefined);
    }
    await groups.setPicture(linkedDevice(BY), ID, { id: '', key: 'med_1' });
    await notice('gone', null);
    assert.equal(await kept(), undefined);
  });

  it('is stored, and published once, even if the process crashes between the two', async (t) => {
    const groups = groupsIn<GroupRecord>(await kind.fresh(t));
    const recorded = new Map<string, Draft>();
    let isDying = true;
    const keep = createFactKeeper({
      groups,
      persons: { describe: async (_tenant, people) => people },
      async record(_tenant, drafts) {
        if (isDying) throw new Error('the process dies');
        for (const draft of drafts) recorded.set(draft.row ?? '', draft);
      },
    } as FactDeps);
    await groups.put(BY, { group_id: ID, subject: 'Choir', record: GROUP, at: 2_900 }, 9_000);
    // The network tells whole seconds, of a clock of its own.
    const notice = { token: 'notice 1', at: 2_000, facts: [came, { ...came, action: 'promote' as const }] };
    await assert.rejects(keep(BY, notice, 9_000), /dies/);
    isDying = false;
    // It was not acknowledged, so it comes again; and once more, where the acknowledgement was lost.
    await keep(BY, notice, 9_000);
    await keep(BY, notice, 9_000);
    const row = await groups.find(linkedDevice(BY), ID);
    assert.deepEqual(
      row?.record.members.map(({ phone, admin }) => [phone, admin]),
      [
        ['628111', null],
        ['628112', null],
        ['628113', 'admin'],
      ],
    );
    assert.equal(row?.record.size, 3);
    assert.deepEqual(
      [...recorded.values()].map(({ data }) => data['action']),
      ['add', 'promote'],
    );
  });
});
