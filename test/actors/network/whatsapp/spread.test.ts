import '../../../network-peer/silent-logger.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { credentialStoreOf } from '../../../../actors/device/effects/credential-store.ts';
import { CredentialBuffer } from '../../../../actors/network/whatsapp/keys/credential-buffer.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { expect, forgetOld, Spreads } from '../../../../actors/network/whatsapp/outbound/group-receipts.ts';
import type { ConnectionContext } from '../../../../actors/network/whatsapp/session/connection-context.ts';
import { type CredentialRows, credentialRowsIn } from '../../../../store/devices/credentials.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const GROUP = '120363000000000001@g.us';
const WEEK_MS = 7 * 86_400_000;
const owner = (epoch: number) => ({ tenantId: 't', sessionId: 's', epoch });
const number = (nth: number): string => `62811${1_000_000 + nth}@s.whatsapp.net`;
const hidden = (nth: number): string => `${9_000_000 + nth}@lid`;

async function credentialRowsOf(kind: StoreKind, scope: Scope): Promise<CredentialRows> {
  const store = await kind.fresh(scope);
  const credentialRows = credentialRowsIn(store);
  await store.prepare();
  return credentialRows;
}

/** A login in a group with this number of members, of which it is the first. */
async function login(credentialBuffer: CredentialBuffer, members: number, now = 0): Promise<ConnectionContext> {
  const participants = Array.from({ length: members }, (_, nth) => ({ id: hidden(nth), phoneNumber: number(nth) }));
  const account = { groups: { get: (group: string) => (group === GROUP ? { participants } : undefined) } };
  const parts = { account, library: await loadLibrary(), creds: { me: { id: '628111000000:3@s.whatsapp.net', lid: '9000000:3@lid' } } };
  return { ...parts, credentialBuffer, clock: { now: () => now } } as unknown as ConnectionContext;
}

async function deliveredTo(context: ConnectionContext, by: string, netIds: readonly string[], status: 'delivered' | 'read') {
  const spreads = await Spreads.of(context, netIds);
  const complete = spreads.deliveredTo(by, netIds, status);
  spreads.keep();
  return complete;
}

const stored = async (context: ConnectionContext, netIds: readonly string[]) => (await Spreads.of(context, netIds)).forget(netIds);

eachStore('the delivery progress of a group message', (kind) => {
  it('is reported once every member has received the message, under either address', async (t) => {
    const credentialStore = credentialStoreOf(await credentialRowsOf(kind, t), owner(1));
    const credentialBuffer = new CredentialBuffer(credentialStore, await credentialStore.create('g'), () => {});
    const context = await login(credentialBuffer, 4);
    for (const id of ['one', 'two']) expect(context, id, GROUP);
    assert.deepEqual(await deliveredTo(context, number(1), ['one', 'two', 'of somebody else'], 'delivered'), []);
    assert.deepEqual(await deliveredTo(context, hidden(1), ['one'], 'delivered'), []);
    assert.deepEqual(await deliveredTo(context, `${9_000_002}:7@lid`, ['one'], 'read'), []);
    assert.deepEqual(await deliveredTo(context, number(99), ['one'], 'read'), [], 'nobody of the group');
    assert.deepEqual(await deliveredTo(context, number(3), ['one'], 'delivered'), ['one']);
    for (const nth of [1, 2]) assert.deepEqual(await deliveredTo(context, number(nth), ['one'], 'read'), []);
    assert.deepEqual(await deliveredTo(context, number(3), ['one'], 'read'), ['one']);
    await stored(context, ['one', 'of one person']);
    assert.deepEqual(await deliveredTo(context, number(3), ['one'], 'read'), []);
    assert.deepEqual([...(await credentialBuffer.all('spread')).keys()], ['two']);
  });

  it('is continued by the next process', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    const first = new CredentialBuffer(credentialStore, await credentialStore.create('g'), () => {});
    const context = await login(first, 3);
    expect(context, 'one', GROUP);
    await deliveredTo(context, hidden(1), ['one'], 'read');
    await first.durable();
    const taken = (await credentialStoreOf(credentialRows, owner(2)).take())!;
    const next = await login(new CredentialBuffer(credentialStoreOf(credentialRows, owner(2)), taken, () => {}), 3);
    assert.deepEqual(await deliveredTo(next, hidden(2), ['one'], 'read'), ['one']);
  });

  it('is reported again when a receipt is repeated, if the process crashed before storing the progress', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    const first = new CredentialBuffer(credentialStore, await credentialStore.create('g'), () => {});
    const context = await login(first, 2);
    expect(context, 'one', GROUP);
    assert.deepEqual(await deliveredTo(context, number(1), ['one'], 'read'), ['one']);
    await first.durable();
    const taken = (await credentialStoreOf(credentialRows, owner(2)).take())!;
    const next = await login(new CredentialBuffer(credentialStoreOf(credentialRows, owner(2)), taken, () => {}), 2);
    assert.deepEqual(await deliveredTo(next, number(1), ['one'], 'read'), ['one']);
  });

  it('takes little memory per message, no matter how many members the group has', async (t) => {
    const credentialStore = credentialStoreOf(await credentialRowsOf(kind, t), owner(1));
    const credentialBuffer = new CredentialBuffer(credentialStore, await credentialStore.create('g'), () => {});
    const context = await login(credentialBuffer, 1_000);
    for (const id of ['one', 'two', 'three']) expect(context, id, GROUP);
    for (let nth = 1; nth < 1_000; nth += 1) await deliveredTo(context, number(nth), ['two'], 'delivered');
    const { one, two } = (await credentialBuffer.get('spread', ['one', 'two'])) as Record<string, { delivered: string }>;
    assert.deepEqual([/^[f7]+$/.test(one!.delivered), /^0+$/.test(two!.delivered)], [true, true]);
    assert.ok(JSON.stringify(one).length < 700);
    assert.equal((await credentialBuffer.all('roster')).size, 1);
  });

  it('is no longer stored once all members have read the message', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    const credentialBuffer = new CredentialBuffer(credentialStore, await credentialStore.create('g'), () => {});
    const context = await login(credentialBuffer, 2);
    for (const id of ['one', 'two']) expect(context, id, GROUP);
    await credentialBuffer.durable();
    await deliveredTo(context, number(1), ['one'], 'read');
    await stored(context, ['one']);
    await credentialBuffer.durable();
    const { fresh } = (await credentialStoreOf(credentialRows, owner(2)).take())!;
    assert.deepEqual(
      fresh.map(({ name }) => name).filter((name) => name.startsWith('spread/')),
      ['spread/two'],
    );
  });

  it('is dropped after a week, as is the member list', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    const first = new CredentialBuffer(credentialStore, await credentialStore.create('g'), () => {});
    const context = await login(first, 3);
    expect(context, 'old', GROUP);
    expect(await login(first, 4, WEEK_MS), 'young', GROUP);
    await forgetOld(await login(first, 3, WEEK_MS + 1));
    assert.equal((await first.all('roster')).size, 2, 'those of this process stay: it may write to them again');
    assert.deepEqual([...(await first.all('spread')).keys()], ['young']);
    await first.durable();
    const taken = (await credentialStoreOf(credentialRows, owner(2)).take())!;
    const next = new CredentialBuffer(credentialStoreOf(credentialRows, owner(2)), taken, () => {});
    await forgetOld(await login(next, 3, WEEK_MS + 1));
    assert.equal((await next.all('roster')).size, 1);
  });
});
