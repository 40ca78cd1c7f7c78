import { linkedAtIn, type MovedCreds } from '../../move-in/baileys-creds.ts';
import { BaileysReader, type JudgedLogin } from '../../move-in/baileys-reader.ts';
import { BAILEYS } from '../../move-in/baileys-records.ts';
import type { LoginFormat, LoginReader } from '../../move-in/login-reader.ts';
import { WHATSMEOW } from '../../move-in/whatsmeow-records.ts';
import { encode } from './codec.ts';

export function movedLoginReader(format: LoginFormat, generation: string, now: number): LoginReader | null {
  if (format === 'sandbox') return null;
  const { kinds, credsOf } = format === 'whatsmeow' ? WHATSMEOW : BAILEYS;
  return new BaileysReader({ encode, kinds, judge: (value) => judged(credsOf(value), generation, now) });
}

function judged(creds: MovedCreds | null, generation: string, now: number): JudgedLogin | null {
  if (!creds) return null;
  const { me, account } = creds;
  return { me, creds, linkedAt: linkedAtIn(account.details, now), credentials: { me: me.id, moved: generation } };
}
