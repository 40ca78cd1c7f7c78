import { bytesOf, type Fields, fieldsOf, numberOf } from '../../../../../actors/network/whatsapp/libsignal/record.ts';

const FIELD = { sender: 6, receiver: 7 } as const;

const text = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('base64');

/** Converts a session from the library's bytes to the JSON that Baileys stores in folders. */
export function asEarlier(record: Uint8Array): object {
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
