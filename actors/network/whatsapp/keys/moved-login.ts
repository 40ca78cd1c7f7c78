import { credsOf, linkedAtIn } from '../../move-in/baileys-creds.ts';
import { BaileysReader, type JudgedLogin } from '../../move-in/baileys-reader.ts';
import type { LoginFormat, LoginReader } from '../../move-in/login-reader.ts';
import { encode } from './codec.ts';

export function movedLoginReader(format: LoginFormat, generation: string, now: number): LoginReader | null {
  if (format === 'sandbox' || format === 'whatsmeow') return null;
  return new BaileysReader({ encode, judge: (value) => judged(value, generation, now) });
}

function judged(value: unknown, generation: string, now: number): JudgedLogin | null {
  const creds = credsOf(value);
  if (!creds) return null;
  const { me, account } = creds;
  return { me, creds, linkedAt: linkedAtIn(account.details, now), credentials: { me: me.id, moved: generation } };
}
