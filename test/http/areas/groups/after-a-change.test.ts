import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refusal } from '../../../../actors/domain/refusals.ts';
import type { GroupRecord } from '../../../../actors/network/groups.ts';
import { userJid } from '../../../../actors/network/jid.ts';
import { groupMembers } from '../../../../http/areas/groups/member-rows.ts';
import { type GroupServices, groupAfter, shownNew } from '../../../../http/areas/groups/services.ts';
import { groupsIn } from '../../../../store/groups/groups.ts';
import { idempotencyIn } from '../../../../store/messaging/idempotency.ts';
import { asWritten } from '../../../support/lost-answer.ts';
import { embedded } from '../../../support/stores.ts';

const ID = '120363000000000001@g.us';
const DEVICE = { _id: 'ses_1', tenant_id: 'ten_1', phone_number: '628110' };
const BY = { owner: { tenantId: 'ten_1', sessionId: 'ses_1', epoch: 1 }, phone: '628110' };

const GROUP: GroupRecord = {
  ...{ id: ID, subject: 'Choir', owner: null, creation: null, description: null, size: 1, announce: false, restrict: false },
  ...{ ephemeral: 0, joinApproval: false, memberAddMode: 'all', community: null, isCommunity: false },
  members: [{ id: '628110@s.whatsapp.net', phone: '628110', lid: null, username: null, name: null, admin: 'superadmin' }],
};

const silent = { ask: async () => Promise.reject(refusal('RATE_LIMITED')) };

it('a change to a group is returned even if the group cannot be read again afterwards', async (t) => {
  const groups = groupsIn<GroupRecord>(await embedded.fresh(t));
  const services = {
    groups,
    persons: { describe: async (_tenant: string, some: unknown) => some },
    device: () => silent,
  } as unknown as GroupServices;
  const at = { device: DEVICE, now: 1_000 } as Parameters<typeof groupAfter>[1];
  await assert.rejects(groupAfter(services, at, ID, { subject: 'Big choir' }), ({ details }) => /change was made/.test(details.reason.en));
  await groups.put(BY, { group_id: ID, subject: 'Choir', record: GROUP }, 900);
  const shown = await groupAfter(services, at, ID, { subject: 'Big choir', announce: true });
  assert.deepEqual([shown.subject, shown.announce, shown.size], ['Big choir', true, 1]);
});

it('a newly created group is returned even if the store fails', async (t) => {
  const failing = { find: async () => Promise.reject(new Error('not primary')) };
  const services = { groups: failing } as unknown as GroupServices;
  const shown = await shownNew(services, { device: DEVICE, now: 1_000 } as Parameters<typeof groupAfter>[1], GROUP);
  assert.deepEqual([shown.id, shown.participants.length], [ID, 1]);
  t.diagnostic(shown.id);
});

it('a retry with the same Idempotency-Key does not invite people to a group a second time', async (t) => {
  const store = await embedded.fresh(t);
  await store.prepare();
  const people = ['6281211112001', '6281211112002'];
  const results = people.map((phone) => ({
    person: { phone, lid: null, username: null, name: null },
    code: 403,
    invite: { code: phone, expiresAt: 9e12 },
  }));
  const invited: string[] = [];
  let isRefused = true;
  const accept = async (_device: unknown, _plan: unknown, { id }: { readonly id: string }) => {
    if (isRefused && invited.length === 1) throw refusal('UNAVAILABLE');
    invited.push(id);
    return { id, status: 'queued' };
  };
  const answers: Readonly<Record<string, unknown>> = { 'groups.get': GROUP, 'groups.participants': results };
  const ask = async ({ question }: { readonly question: { readonly name: string } }) => answers[question.name];
  const services = {
    ...{ groups: groupsIn<GroupRecord>(store), idempotency: idempotencyIn(store, asWritten), sending: { accept } },
    ...{ device: () => ({ ask }), people: { resolve: async (_tenant: string, text: string) => text } },
    numbers: { chats: async (_caller: unknown, named: readonly string[]) => named.map((text) => userJid(text.slice(1))) },
    consentCheck: { admit: async () => ({ isOptedOut: false }) },
  };
  const change = groupMembers.rows.find(({ id }) => id === 'changeGroupMembers')!;
  const call = (now: number) => {
    const caller = { tenantId: DEVICE.tenant_id, key: null, callingCode: 62 };
    const body = { action: 'add', participants: people.map((phone) => `+${phone}`), invite_refused: true };
    const asked = { device: DEVICE, caller, body, params: { groupId: ID }, header: () => 'key', now };
    return (change.run as (...of: readonly unknown[]) => Promise<object>)(services, asked);
  };
  await assert.rejects(call(1_000), { code: 'UNAVAILABLE' });
  isRefused = false;
  await call(62_000);
  assert.deepEqual([invited.length, new Set(invited).size], [3, 2], 'the first one has the same id again');
});
