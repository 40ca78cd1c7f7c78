import { hash } from 'node:crypto';
import { Refusal } from '../runtime/errors.ts';
import { newId } from '../runtime/ids.ts';
import type { DeviceRow } from '../store/devices.ts';
import type { IdempotencyKeys, KeyRow } from '../store/idempotency.ts';
import type { MessageRow, Messages } from '../store/messages.ts';
import { refusal } from './refusals.ts';
import { isUnsent } from './unsent-quota.ts';

export interface Accepted {
  readonly id: string;
  readonly status: 'queued' | 'failed';
  /** An earlier call with the same key sent it. */
  readonly idempotent_replay?: true;
}

export interface IdempotencyPorts {
  readonly idempotency: IdempotencyKeys;
  readonly messages: Pick<Messages, 'find'>;
}

/** A request that carries a key: what it asks for, as JSON. */
export interface KeyedRequest {
  readonly key: string;
  /** Whom it is asked of. */
  readonly device: Pick<DeviceRow, '_id' | 'tenant_id'>;
  readonly request: unknown;
}

/** How long a key is remembered (api.md: 24 hours). */
const KEPT_MS = 86_400_000;
/** A call that takes longer than this has died with its process. */
const IN_FLIGHT_MS = 10_000;

/**
 * Sends at most once per key of a tenant (reliability.md section 3). The key names the message's id before the message is stored, so a
 * repeated call finds it wherever an earlier one died, or stores that very message. Refuses CONFLICT while an earlier call is under way and
 * IDEMPOTENCY_KEY_REUSED for another request. What `send` refuses is not remembered.
 */
export async function sendOnce(
  ports: IdempotencyPorts,
  { key, device, request }: KeyedRequest,
  now: number,
  send: (messageId: string) => Promise<Accepted>,
): Promise<Accepted> {
  const fingerprint = hash('sha256', canonical([device._id, request]));
  const wanted: KeyRow = {
    _id: `${device.tenant_id}:${key}`,
    fingerprint,
    message_id: newId(now),
    claimed_at: now,
    expires_at: now + KEPT_MS,
  };
  const { row, isMine } = await ports.idempotency.claim(wanted);
  if (row.fingerprint !== fingerprint) throw refusal('IDEMPOTENCY_KEY_REUSED');
  if (isMine) return sendUnder(ports, row, send);
  const there = await ports.messages.find(device.tenant_id, device._id, row.message_id);
  if (there) return replayOf(there);
  const isAlive = Math.abs(now - row.claimed_at) < IN_FLIGHT_MS;
  if (isAlive || !(await ports.idempotency.takeOver(row, now))) throw refusal('CONFLICT', { reason: UNDER_WAY });
  return sendUnder(ports, { ...row, claimed_at: now }, send);
}

const UNDER_WAY = { en: 'an earlier call with this key is under way', id: 'panggilan sebelumnya dengan kunci ini masih berjalan' };

async function sendUnder(
  { idempotency }: IdempotencyPorts,
  row: KeyRow,
  send: (messageId: string) => Promise<Accepted>,
): Promise<Accepted> {
  try {
    return await send(row.message_id);
  } catch (cause) {
    // Of anything but a refusal nobody knows whether it stored the message: the key stays with it.
    if (cause instanceof Refusal) await idempotency.release(row);
    throw cause;
  }
}

/** What the first call answered, whatever became of the message since. */
const replayOf = (row: MessageRow): Accepted => ({
  id: row._id,
  status: row.quota_month === null && !isUnsent(row) ? 'failed' : 'queued',
  idempotent_replay: true,
});

/** The same text for the same JSON, in whatever order its fields came. */
const canonical = (value: unknown): string => JSON.stringify(value, (_key, inner) => (isFields(inner) ? sorted(inner) : inner));

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const BARE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;

/** The key of an `Idempotency-Key` header, quoted or bare, at most 255 characters; undefined: none was sent. Refuses VALIDATION_FAILED. */
export function keyFrom(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : BARE.exec(header)?.[0];
  if (key === undefined) throw refusal('VALIDATION_FAILED', { reason: 'Idempotency-Key' });
  return key;
}
