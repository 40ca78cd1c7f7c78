import { createHmac } from 'node:crypto';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { OtherFormat, WebhookRow } from '../../../store/webhooks/webhooks.ts';
import type { SigningBuffer } from './signing-buffer.ts';
import { SigningKey } from './signing-key.ts';

export interface Signing {
  readonly secret: string;
  /** The former secret. Until it expires, `webhook-signature` has both signatures (Standard Webhooks). */
  readonly retired?: WebhookRow['retired'] | undefined;
  readonly eventId: string;
  readonly event: string;
  readonly format?: OtherFormat | undefined;
  readonly signingBuffer: SigningBuffer;
  readonly now: number;
}

/** Our own signature uses the secret as it is. Standard Webhooks decodes `whsec_…` from base64. */
export function headersOf({ secret, retired, eventId, event, format, signingBuffer, now }: Signing): string[] {
  const seconds = String(Math.floor(now / 1_000));
  const { ours, standard } = keysOf(secret);
  const signed = `${eventId}.${seconds}.`;
  const before = retired && now < retired.until ? ` v1,${keysOf(retired.secret).standard.sign(signed, signingBuffer)}` : '';
  return [
    'content-type',
    'application/json',
    'user-agent',
    'messaging-gateway',
    'x-webhook-signature',
    `sha256=${ours.sign('', signingBuffer)}`,
    'x-webhook-event',
    event,
    'x-webhook-id',
    eventId,
    'webhook-id',
    eventId,
    'webhook-timestamp',
    seconds,
    'webhook-signature',
    `v1,${standard.sign(signed, signingBuffer)}${before}`,
    ...(format === 'waha' ? wahaHeaders(secret, eventId, signingBuffer.body, now) : []),
  ];
}

const wahaHeaders = (secret: string, eventId: string, body: Buffer, now: number): string[] => [
  ...['x-webhook-request-id', eventId, 'x-webhook-timestamp', String(now), 'x-webhook-hmac-algorithm', 'sha512'],
  ...['x-webhook-hmac', createHmac('sha512', secret).update(body).digest('hex')],
];

interface Keys {
  readonly ours: SigningKey;
  readonly standard: SigningKey;
}

const PREFIX = 'whsec_';
const KEPT = 1_000;
const kept = new RecentCache<string, Keys>(KEPT);

function keysOf(secret: string): Keys {
  const known = kept.get(secret);
  if (known) return known;
  const ours = new SigningKey(secret);
  const keys = { ours, standard: secret.startsWith(PREFIX) ? new SigningKey(Buffer.from(secret.slice(PREFIX.length), 'base64')) : ours };
  kept.set(secret, keys);
  return keys;
}
