import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BufferJSON } from '@whiskeysockets/baileys';
import { BAILEYS_KINDS } from '../../../../actors/network/move-in/baileys-records.ts';
import { bytesOf, type Fields, fieldsOf, numberOf } from '../../../../actors/network/whatsapp/libsignal/record.ts';
import { fromEarlier } from '../../../../actors/network/whatsapp/signal/earlier.ts';
import { type Auth, Bare, newAuth, trust } from '../../../network-peer/bare.ts';
import { embedded, type Scope } from '../../../support/stores.ts';
import { aRealGateway, type RealGateway } from './gateway.ts';

const [OWNER, SHOP, ANNA, BUDI] = ['6281100009999', '6281100000001', '6281100000002', '6281100000003'];
const NDJSON = { 'content-type': 'application/x-ndjson' };
const FIELD = { sender: 6, receiver: 7 } as const;

/** The client library as it comes, logged in for `SHOP`, with all that it keeps. */
async function anOldProgram(scope: Scope, gateway: RealGateway) {
  const { peer, until } = gateway;
  trust(peer.rootKey);
  const during = async <T>(what: string, work: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    await until(what, () => isOver);
    return work;
  };
  const kept = new Map<string, unknown>();
  const { creds, keys } = newAuth();
  const auth: Auth = {
    creds,
    keys: {
      ...keys,
      set(data) {
        for (const [kind, values] of Object.entries(data))
          for (const [id, value] of Object.entries(values ?? {})) {
            if (value) kept.set(`${kind}/${id}`, value);
            else kept.delete(`${kind}/${id}`);
          }
        return keys.set(data);
      },
    },
  };
  const linking = new Bare(peer, auth);
  await peer.phone(SHOP).scans(
    await during(
      'a code',
      linking.hears('connection.update', ({ qr }) => qr),
    ),
  );
  await during('it is linked', linking.closes());
  const bare = new Bare(peer, auth);
  scope.after(() => bare.sock.end(undefined));
  await during('it is online', bare.opens());
  return { bare, during, bundle: () => bundleOf(creds, kept) };
}

/** As a folder of Baileys holds it, which kept sessions as JSON. */
function bundleOf(creds: unknown, kept: ReadonlyMap<string, unknown>): string {
  const records = [...kept].map(([name, value]) => {
    const at = name.indexOf('/');
    const [kind, id] = [name.slice(0, at), name.slice(at + 1)];
    return { kind, id, value: kind === 'session' && value instanceof Uint8Array ? asEarlier(value) : value };
  });
  return [{ format: 'baileys' }, ...records, { kind: 'creds', id: 'creds', value: creds }]
    .map((line) => `${JSON.stringify(line, BufferJSON.replacer)}\n`)
    .join('');
}

const text = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('base64');

function asEarlier(record: Uint8Array): object {
  const all = fieldsOf(record);
  const sessions = [1, 2].flatMap((field) => (all.get(field) ?? []).map((bytes) => [field === 1, bytes] as const));
  const entries = sessions.flatMap(([isOpen, bytes]) => (bytes instanceof Uint8Array ? [earlierSession(fieldsOf(bytes), isOpen)] : []));
  return { _sessions: Object.fromEntries(entries), version: 'v1' };
}

function earlierSession(session: Fields, isOpen: boolean): readonly [string, object] {
  const baseKey = text(bytesOf(session, 13));
  const chains = (field: number) => (session.get(field) ?? []).flatMap((bytes) => (bytes instanceof Uint8Array ? [fieldsOf(bytes)] : []));
  const [sender] = chains(FIELD.sender);
  const chain = (fields: Fields) => {
    const key = fieldsOf(bytesOf(fields, 3) ?? new Uint8Array());
    return [
      text(bytesOf(fields, 1)),
      { chainKey: { counter: (numberOf(key, 1) ?? 0) - 1, key: text(bytesOf(key, 2)) }, messageKeys: {} },
    ] as const;
  };
  const pending = bytesOf(session, 9);
  const waits = pending && fieldsOf(pending);
  const value = {
    registrationId: numberOf(session, 10) ?? 0,
    currentRatchet: {
      ephemeralKeyPair: { pubKey: text(sender ? bytesOf(sender, 1) : null), privKey: text(sender ? bytesOf(sender, 2) : null) },
      previousCounter: numberOf(session, 5) ?? 0,
      rootKey: text(bytesOf(session, 4)),
    },
    indexInfo: { baseKey, closed: isOpen ? -1 : 1, remoteIdentityKey: text(bytesOf(session, 3)) },
    _chains: Object.fromEntries([...(sender ? [chain(sender)] : []), ...chains(FIELD.receiver).map(chain)]),
    ...(waits && {
      pendingPreKey: { preKeyId: numberOf(waits, 1) ?? 0, baseKey: text(bytesOf(waits, 2)), signedKeyId: numberOf(waits, 3) ?? 0 },
    }),
  };
  return [baseKey, value];
}

describe('a login migrated from Baileys', () => {
  it('continues earlier conversations and groups in both directions without any retry', async (t) => {
    const gateway = await aRealGateway(t, embedded, { givesOwnKeys: true });
    const { peer, until } = gateway;
    const api = gateway.as(await gateway.signUp(OWNER));
    const { bare, during, bundle } = await anOldProgram(t, gateway);
    const { jid: group } = peer.group([SHOP, ANNA, BUDI], { subject: 'Friends' });
    const before = [await peer.contact(ANNA).writes(SHOP, 'before'), await peer.contact(BUDI).writes(group, 'to all')];
    for (const id of before) await during('the old program reads it', bare.receives(id));
    for (const to of [`${ANNA}@s.whatsapp.net`, group]) {
      const text = `from the old program to ${to}`;
      await during('it is written', bare.sock.sendMessage(to, { text }));
      await until('Anna reads it', () =>
        peer
          .contact(ANNA)
          .shows()
          .some((shown) => shown.text === text),
      );
    }
    await peer.contact(ANNA).writes(SHOP, 'an answer');
    await until('that is read, too', () => bare.heard.some(({ event }) => JSON.stringify(event).includes('an answer')));
    bare.sock.end(undefined);

    const { id } = (await api('POST', '/v1/sessions', {})).body;
    const path = `/v1/sessions/${id}`;
    const login = bundle();
    const judged = (await during('it is judged', api('POST', `${path}/move-in/check`, login, NDJSON))).body;
    assert.equal(judged.phone, SHOP, JSON.stringify(judged));
    assert.deepEqual(judged.dropped, []);
    assert.ok(judged.accepted.session >= 2 && judged.accepted['sender-key'] >= 1 && judged.accepted['pre-key'] > 100);

    const retries = () =>
      peer.journal.stanzas({ way: 'up', tag: 'receipt' }).filter(({ stanza }) => stanza.attrs['type'] === 'retry').length;
    const retriedBefore = retries();
    const move = (await during('it is moved', api('POST', `${path}/move-in`, login, NDJSON))).body.id;
    await until('it is watched', async () => {
      const { body } = await api('GET', `${path}/move-in/${move}`);
      assert.notEqual(body.status, 'failed', JSON.stringify(body));
      return body.status === 'watching';
    });
    await peer.contact(ANNA).writes(SHOP, 'after');
    await peer.contact(BUDI).writes(group, 'after in the group');
    await until('both are in the log', async () => {
      const { messages } = (await api('GET', `${path}/messages?direction=inbound`)).body;
      const bodies = messages.map(({ body }: { body: string }) => body);
      return bodies.includes('after') && bodies.includes('after in the group');
    });
    for (const chat_id of [ANNA, group]) {
      const sent = (await api('POST', `${path}/messages`, { chat_id, type: 'text', body: 'from here' })).body.id;
      await until('it is read', async () => (await api('GET', `${path}/messages/${sent}`)).body.status === 'read');
    }
    assert.equal(retries() - retriedBefore, 0);
    assert.deepEqual(peer.ledger.violations, []);
    assert.deepEqual(peer.journal.events('unreadable'), []);
  });
});

describe('a session stored by Baileys', () => {
  it('is read without losing or changing a key', () => {
    const { records, unanswered } = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded-sessions.json'), 'utf8'));
    const own = { identity: new Uint8Array(33), registrationId: 7 };
    for (const record of [records.ours, records.hers, unanswered]) {
      const read = BAILEYS_KINDS['session']?.read(record);
      assert.ok(read);
      assert.deepEqual(fromEarlier(read as typeof record, own), fromEarlier(record, own));
    }
  });
});
