import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { credentialStoreOf } from '../../../../actors/device/effects/credential-store.ts';
import { newAccount } from '../../../../actors/network/whatsapp/keys/account.ts';
import { decode, encode } from '../../../../actors/network/whatsapp/keys/codec.ts';
import { CredentialBuffer } from '../../../../actors/network/whatsapp/keys/credential-buffer.ts';
import type { SecretKind } from '../../../../actors/network/whatsapp/keys/secret-kind.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { sealForGroup } from '../../../../actors/network/whatsapp/libsignal/group.ts';
import { openSocket } from '../../../../actors/network/whatsapp/session/socket.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { credentialRowsIn } from '../../../../store/devices/credentials.ts';
import { openEmbedded } from '../../../../store/engines/embedded/embedded.ts';
import { aDirectory } from '../../../support/stores.ts';

describe("a device's memory use", () => {
  it('grows only by the length of a decoded secret, without spare buffer space', () => {
    for (const [kind, secret] of [
      ['session', Buffer.from('a chain')],
      ['creds', Buffer.from('a private key')],
    ] as const) {
      const held = decode(kind, encode(kind, secret)) as Buffer;
      assert.deepEqual(held, secret);
      assert.equal(held.buffer.byteLength, secret.length);
    }
  });

  it('grows only by the length of a new secret, without spare buffer space', async (t) => {
    const store = openEmbedded({ path: `${aDirectory(t)}/store.db` });
    t.after(() => store.close());
    await store.prepare();
    const credentialStore = credentialStoreOf(credentialRowsIn(store), { tenantId: 't', sessionId: 's', epoch: 1 });
    const credentialBuffer = new CredentialBuffer(credentialStore, await credentialStore.create('g'), () => {});
    const kind: SecretKind<Uint8Array> = 'sender-key';
    const { record } = await sealForGroup({ group: 'g', address: '1.0', record: null }, Buffer.from('Hi'));
    credentialBuffer.set(kind, { a: record });
    const { a: held = assert.fail('it is gone') } = await credentialBuffer.get(kind, ['a']);
    assert.deepEqual(Buffer.from(held), Buffer.from(record));
    assert.equal(held.buffer.byteLength, record.length);
    await credentialBuffer.durable();
  });

  it('includes no retry cache from the library, because sent messages are in the store', async (t) => {
    const library = await loadLibrary();
    const { socket } = openSocket({
      library,
      url: 'ws://127.0.0.1:9',
      build: null,
      tunnel: null,
      creds: library.initAuthCreds(),
      keys: { get: async () => ({}), set: async () => undefined },
      account: newAccount(systemClock),
      log: pino({ level: 'silent' }),
    });
    t.after(() => socket.end(undefined));
    assert.equal(socket.messageRetryManager, null);
  });
});
