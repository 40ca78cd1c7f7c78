import { createHash } from 'node:crypto';
import { memberOf } from '../../../runtime/shapes.ts';
import { userJid, userOf } from '../jid.ts';
import { accountOf, type MovedCreds, meOf } from '../move-in/baileys-creds.ts';
import { BaileysReader, type JudgedLogin } from '../move-in/baileys-reader.ts';
import { BAILEYS } from '../move-in/baileys-records.ts';
import type { LoginFormat, LoginReader } from '../move-in/login-reader.ts';
import { WHATSMEOW } from '../move-in/whatsmeow-records.ts';
import { lidOf } from './addresses.ts';
import type { LinkedDevice } from './devices.ts';
import { isPhone } from './names.ts';

/** Reads logins without keys, because the sandbox accepts unknown devices (devices.ts). */
export function sandboxLoginReader(format: LoginFormat): LoginReader {
  const { kinds, credsOf } = format === 'whatsmeow' ? WHATSMEOW : BAILEYS;
  return new BaileysReader({ encode: null, kinds, judge: format === 'sandbox' ? judgedOwn : (value) => judgedForeign(credsOf(value)) });
}

function judgedOwn(value: unknown): JudgedLogin | null {
  const [me, account] = [meOf(memberOf(value, 'me')), accountOf(memberOf(value, 'account'))];
  const [phone, device, secret] = [memberOf(value, 'phone'), memberOf(value, 'device'), memberOf(value, 'secret')];
  const linkedAt = memberOf(value, 'linked_at');
  if (!me || !account || typeof phone !== 'string' || !isPhone(phone) || typeof secret !== 'string' || secret.length > 64) return null;
  if (typeof device !== 'number' || !Number.isInteger(device) || device < 1 || device > 10_000) return null;
  const credentials = { phone, device, secret };
  return {
    me,
    creds: null,
    credentials,
    linkedAt: typeof linkedAt === 'number' && Number.isSafeInteger(linkedAt) && linkedAt > 0 ? linkedAt : null,
  };
}

function judgedForeign(creds: MovedCreds | null): JudgedLogin | null {
  if (!creds) return null;
  const { me, noiseKey } = creds;
  const secret = createHash('sha256').update(noiseKey.private).digest('base64url');
  const device = Number(/:(\d+)@/.exec(me.id)?.[1] ?? 1);
  return { me, creds: null, linkedAt: null, credentials: { phone: userOf(me.id) ?? '', device, secret } };
}

const SEED_BYTES = 32;

export function loginLines({ phone, number, secret }: LinkedDevice): string {
  const key = (name: string, type = ''): string => {
    const bytes = createHash('sha256').update(`${secret} ${name}`).digest().subarray(0, SEED_BYTES);
    return Buffer.concat([Buffer.from(type, 'hex'), bytes]).toString('base64');
  };
  const bytes = (text: string) => ({ type: 'Buffer', data: text });
  const stranger = '999900000000001';
  const session = {
    registrationId: 1,
    currentRatchet: { ephemeralKeyPair: { pubKey: key('ours', '05'), privKey: key('ours') }, previousCounter: 0, rootKey: key('root') },
    indexInfo: { baseKey: key('base', '05'), closed: -1, remoteIdentityKey: key('theirs', '05') },
    _chains: { [key('ours', '05')]: { chainKey: { counter: 3, key: key('chain') }, messageKeys: {} } },
  };
  const group = [
    {
      senderKeyId: 1,
      senderChainKey: { iteration: 2, seed: bytes(key('seed')) },
      senderSigningKey: { public: bytes(key('signing', '05')) },
      senderMessageKeys: [],
    },
  ];
  const records = [
    {
      ...{ kind: 'creds', id: 'creds' },
      value: {
        ...{ me: { id: `${phone}:${number}@s.whatsapp.net`, lid: lidOf(phone) }, account: { details: key('account') } },
        ...{ phone, device: number, secret },
      },
    },
    { kind: 'session', id: `${userOf(userJid(stranger))}.0`, value: { _sessions: { [key('base', '05')]: session }, version: 'v1' } },
    {
      kind: 'sender-key',
      id: `120363000000000001@g.us::${stranger}::0`,
      value: bytes(Buffer.from(JSON.stringify(group)).toString('base64')),
    },
    { kind: 'pre-key', id: '1', value: { private: bytes(key('pre-key')), public: bytes(key('pre-key open')) } },
    { kind: 'lid-mapping', id: stranger, value: '99888800000000' },
    { kind: 'lid-mapping', id: '99888800000000_reverse', value: stranger },
    { kind: 'app-state-sync-version', id: 'regular', value: { version: 1, hash: bytes(key('hash')), indexValueMap: {} } },
  ];
  return [{ format: 'sandbox' }, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
}
