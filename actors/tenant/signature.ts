import { Recent } from '../../runtime/recent.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Sheet } from './sheet.ts';
import { SigningKey } from './signing-key.ts';

/** What one delivery is signed with. */
export interface Signing {
  readonly secret: string;
  /** The one before, and until when it still signs: `webhook-signature` then carries both, as Standard Webhooks has it. */
  readonly retired?: WebhookRow['retired'] | undefined;
  readonly eventId: string;
  readonly event: string;
  /** Exactly what is sent. */
  readonly sheet: Sheet;
  /** Of this attempt, epoch ms. */
  readonly now: number;
}

/**
 * The headers of a delivery as undici takes them: spec.md part 6, and beside them the three of Standard Webhooks. The key of ours is the
 * secret as it was given; theirs is what stock libraries make of it: of `whsec_…` the decoded base64, of anything else its bytes.
 */
export function headersOf({ secret, retired, eventId, event, sheet, now }: Signing): string[] {
  const seconds = String(Math.floor(now / 1_000));
  const { ours, standard } = keysOf(secret);
  const signed = `${eventId}.${seconds}.`;
  const before = retired && now < retired.until ? ` v1,${keysOf(retired.secret).standard.sign(signed, sheet)}` : '';
  return [
    'content-type',
    'application/json',
    'user-agent',
    'messaging-gateway',
    'x-webhook-signature',
    `sha256=${ours.sign('', sheet)}`,
    'x-webhook-event',
    event,
    'x-webhook-id',
    eventId,
    'webhook-id',
    eventId,
    'webhook-timestamp',
    seconds,
    'webhook-signature',
    `v1,${standard.sign(signed, sheet)}${before}`,
  ];
}

interface Keys {
  readonly ours: SigningKey;
  readonly standard: SigningKey;
}

const PREFIX = 'whsec_';
const KEPT = 1_000;
const kept = new Recent<string, Keys>(KEPT);

function keysOf(secret: string): Keys {
  const known = kept.get(secret);
  if (known) return known;
  const ours = new SigningKey(secret);
  const keys = { ours, standard: secret.startsWith(PREFIX) ? new SigningKey(Buffer.from(secret.slice(PREFIX.length), 'base64')) : ours };
  kept.set(secret, keys);
  return keys;
}
