import { Refusal } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ids.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { IdempotencyKeys, KeyRow } from '../../../store/messaging/idempotency.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import { isDuplicateKey } from '../../../store/port.ts';
import { refusal } from '../../domain/refusals.ts';

export interface Accepted {
  readonly id: string;
  readonly status: 'queued' | 'failed';
  /** The network has none of it yet, and a repeated call is answered as the first one. */
  readonly wa_message_id: null;
  /** An earlier call with the same key sent it. */
  readonly idempotent_replay?: true;
}

export interface IdempotencyDeps {
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

/** How long a key is remembered. */
const KEPT_MS = 86_400_000;
/** A call that takes longer than this has died with its process. */
const IN_FLIGHT_MS = 10_000;
/** When a call claimed its key that is over. */
const ENDED = 0;
/** `takesMs` of a call that asks the network what is there before it changes something: two answers, 28 s each at most. */
export const NETWORK_CALL_MS = 60_000;

/**
 * Sends at most once per key of a tenant. The key names the message's id before the message is stored, so a
 * repeated call finds it wherever an earlier one died, or stores that very message. Refuses IDEMPOTENCY_IN_PROGRESS while an earlier call is under way and
 * IDEMPOTENCY_KEY_REUSED for another request. A refusal of `send` is not remembered, but the key stays where an earlier call may still send.
 */
export async function sendOnce(
  deps: IdempotencyDeps,
  { key, device, request }: KeyedRequest,
  now: number,
  send: (messageId: string) => Promise<Accepted>,
): Promise<Accepted> {
  const { row, isMine } = await claimed(deps, { key, tenantId: device.tenant_id, request: [device._id, request] }, now);
  if (isMine) return sendUnder(deps, row, send);
  const there = await deps.messages.find(device.tenant_id, device._id, row.message_id);
  if (there) return replayOf(there);
  return goOnUnder(deps, row, await takenOver(deps, row, now), send);
}

/** A request whose whole answer is kept. `request` distinguishes it from all others, including its path. */
export interface KeyedCall<T = never> {
  readonly key: string | undefined;
  readonly tenantId: string;
  readonly request: unknown;
  /** A call that takes longer than this has died, and so has what it asked for; absent: 10 s. */
  readonly takesMs?: number;
  /** False: it refuses a part, which an earlier call that only seemed to have died may still do. Such an answer is kept of the first call only. */
  readonly isWhole?: (answer: T) => boolean;
  /** False: it refuses a part that may be done by the next call, which finds what this one made. Such an answer is never kept. */
  readonly isFinal?: (answer: T) => boolean;
}

/**
 * Does something at most once per key of a tenant, and answers a repeated call as the first one was answered; without a key it is simply done. `act` is
 * given the id that everything it makes has to follow from. Where an earlier call died `isAgain` is true: what is there under that id was made
 * by it, and is completed. Refuses as `sendOnce` does; what `act` refuses is not remembered, but the id stays where an earlier call may have made
 * something under it, and where `act` called `acted`: something is done that no refusal takes back.
 */
export async function actOnce<T>(
  deps: Pick<IdempotencyDeps, 'idempotency'>,
  { key, tenantId, request, takesMs = IN_FLIGHT_MS, isWhole = () => true, isFinal = () => true }: KeyedCall<T>,
  now: number,
  act: (id: string, isAgain: boolean, acted: () => void) => Promise<T>,
): Promise<{ readonly answer: T; readonly isReplay: boolean }> {
  if (key === undefined) return { answer: await act(newId(now), false, () => {}), isReplay: false };
  const { row, isMine } = await claimed(deps, { key, tenantId, request }, now);
  if (row.answer !== undefined) return { answer: JSON.parse(row.answer), isReplay: true };
  const mine = isMine ? row : await takenOver(deps, row, now, takesMs);
  const answer = await (isMine
    ? sendUnder(deps, mine, (id, acted) => act(id, false, acted))
    : goOnUnder(deps, row, mine, (id) => act(id, true, () => {})));
  if (isFinal(answer) && (isMine || isWhole(answer))) await deps.idempotency.answered(mine, JSON.stringify(answer));
  // It is the first call's again, which may still be under way, and the next one's.
  else await deps.idempotency.takeOver(mine, isMine ? ENDED : row.claimed_at);
  return { answer, isReplay: false };
}

/** What is stored under the id of a key; where an earlier call, which only seemed to have died, was first, what that one stored counts. */
export async function storedOnce<T>(storing: Promise<T>, find: () => Promise<T | null>): Promise<T> {
  try {
    return await storing;
  } catch (cause) {
    const there = isDuplicateKey(cause) ? await find() : null;
    if (!there) throw cause;
    return there;
  }
}

type Keys = Pick<IdempotencyDeps, 'idempotency'>;

async function claimed({ idempotency }: Keys, { key, tenantId, request }: KeyedCall & { readonly key: string }, now: number) {
  const fingerprint = idempotency.fingerprint(tenantId, resolve(request));
  const wanted: KeyRow = { _id: `${tenantId}:${key}`, fingerprint, message_id: newId(now), claimed_at: now, expires_at: now + KEPT_MS };
  const claim = await idempotency.claim(wanted);
  if (claim.row.fingerprint !== fingerprint) throw refusal('IDEMPOTENCY_KEY_REUSED');
  return claim;
}

/** Goes on where an earlier call died. Refuses IDEMPOTENCY_IN_PROGRESS while it may be alive. */
async function takenOver({ idempotency }: Keys, row: KeyRow, now: number, takesMs = IN_FLIGHT_MS): Promise<KeyRow> {
  const isAlive = Math.abs(now - row.claimed_at) < takesMs;
  if (isAlive || !(await idempotency.takeOver(row, now))) throw refusal('IDEMPOTENCY_IN_PROGRESS', { retryAfterMs: 1_000 });
  return { ...row, claimed_at: now };
}

async function sendUnder<T>({ idempotency }: Keys, row: KeyRow, send: (id: string, acted: () => void) => Promise<T>): Promise<T> {
  let hasActed = false;
  const acted = (): void => {
    hasActed = true;
  };
  try {
    return await send(row.message_id, acted);
  } catch (cause) {
    // After anything but a refusal it is unknown whether something was stored, or done by the network: the key stays with it.
    if (!hasActed && isSettled(cause)) await idempotency.release(row);
    throw cause;
  }
}

/** Where an earlier call may have made something the key stays with its id; after a refusal the next call need not wait for this one. */
async function goOnUnder<T>({ idempotency }: Keys, before: KeyRow, mine: KeyRow, act: (id: string) => Promise<T>): Promise<T> {
  try {
    return await act(mine.message_id);
  } catch (cause) {
    if (isSettled(cause)) await idempotency.takeOver(mine, before.claimed_at);
    throw cause;
  }
}

const isSettled = (cause: unknown): boolean => cause instanceof Refusal && cause.code !== 'DEVICE_TIMEOUT';

/** The answer of the first call, even if the message changed since. */
export const replayOf = (row: MessageRow): Accepted => ({
  id: row._id,
  status: row.error === 'quota_exceeded' ? 'failed' : 'queued',
  wa_message_id: null,
  idempotent_replay: true,
});

/** The same text for the same JSON, independent of the order of fields. */
const resolve = (value: unknown): string => JSON.stringify(value, (_key, inner) => (isFields(inner) ? sorted(inner) : inner));

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const BARE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;

const BAD_KEY = {
  en: 'Idempotency-Key must have 1 to 255 visible ASCII characters',
  id: 'Idempotency-Key harus terdiri dari 1 sampai 255 karakter ASCII yang terlihat',
};

/** The key of an `Idempotency-Key` header, quoted or bare, at most 255 characters; undefined: none was sent. Refuses VALIDATION_FAILED. */
export function keyFrom(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : BARE.exec(header)?.[0];
  if (key === undefined) throw refusal('VALIDATION_FAILED', { field: 'Idempotency-Key', reason: BAD_KEY });
  return key;
}
