import { createHmac } from 'node:crypto';

/** What one delivery is signed with. */
export interface Signing {
  readonly secret: string;
  readonly eventId: string;
  readonly event: string;
  /** Exactly the bytes that are sent. */
  readonly body: Buffer;
  /** Of this attempt, epoch ms. */
  readonly now: number;
}

/**
 * The headers of a delivery as undici takes them: spec.md part 6, and beside them the three of Standard Webhooks. The key of ours is the
 * secret as it was given; theirs is what stock libraries make of it: of `whsec_…` the decoded base64, of anything else its bytes.
 */
export function headersOf({ secret, eventId, event, body, now }: Signing): string[] {
  const seconds = String(Math.floor(now / 1_000));
  const standard = createHmac('sha256', standardKey(secret)).update(`${eventId}.${seconds}.`).update(body).digest('base64');
  return [
    'content-type',
    'application/json',
    'user-agent',
    'messaging-gateway',
    'x-webhook-signature',
    `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`,
    'x-webhook-event',
    event,
    'x-webhook-id',
    eventId,
    'webhook-id',
    eventId,
    'webhook-timestamp',
    seconds,
    'webhook-signature',
    `v1,${standard}`,
  ];
}

const PREFIX = 'whsec_';

const standardKey = (secret: string): string | Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : secret;
