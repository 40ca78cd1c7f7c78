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
  /** Always null: a replay returns the response of the first call. */
  readonly wa_message_id: null;
  readonly idempotent_replay?: true;
}

export interface IdempotencyDeps {
  readonly idempotency: IdempotencyKeys;
  readonly messages: Pick<Messages, 'find'>;
}

export interface KeyedRequest {
  readonly key: string;
  readonly device: Pick<DeviceRow, '_id' | 'tenant_id'>;
  readonly request: unknown;
}

const KEPT_MS = 86_400_000;
/** If a call takes longer than this, the process that runs it is assumed to have died. */
const IN_FLIGHT_MS = 10_000;
const ENDED = 0;
/** Enough for two requests to the network, each of which may take 28 s. */
export const NETWORK_CALL_MS = 60_000;

/** Fails with IDEMPOTENCY_IN_PROGRESS (an earlier call still runs) or IDEMPOTENCY_KEY_REUSED. */
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

export interface KeyedCall<T = never> {
  readonly key: string | undefined;
  readonly tenantId: string;
  readonly request: unknown;
  /** After this time, a call and the work that it started are assumed to have died. */
  readonly takesMs?: number;
  /** Returns false for a partial response, which is not stored, because the first call may complete it. */
  readonly isWhole?: (answer: T) => boolean;
  /** Returns false if the response must not be stored, because a repeated call may complete it. */
  readonly isFinal?: (answer: T) => boolean;
}

/**
 * Runs `act` once per key. `act` must derive all IDs from the ID that it receives. If `isAgain` is
 * true, an earlier call may have died, and `act` completes its objects. Once `acted` was called,
 * the ID is kept even if the call is refused. Fails like `sendOnce`.
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
  // Release the key: to the first call if it may still be running, otherwise to the next call.
  else await deps.idempotency.takeOver(mine, isMine ? ENDED : row.claimed_at);
  return { answer, isReplay: false };
}

/** Uses the object of an earlier call that was wrongly assumed to have died, if there is one. */
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
    // After an error other than a refusal, a message may have been sent, so the key is kept.
    if (!hasActed && isSettled(cause)) await idempotency.release(row);
    throw cause;
  }
}

async function goOnUnder<T>({ idempotency }: Keys, before: KeyRow, mine: KeyRow, act: (id: string) => Promise<T>): Promise<T> {
  try {
    return await act(mine.message_id);
  } catch (cause) {
    if (isSettled(cause)) await idempotency.takeOver(mine, before.claimed_at);
    throw cause;
  }
}

const isSettled = (cause: unknown): boolean => cause instanceof Refusal && cause.code !== 'DEVICE_TIMEOUT';

export const replayOf = (row: MessageRow): Accepted => ({
  id: row._id,
  status: row.error === 'quota_exceeded' ? 'failed' : 'queued',
  wa_message_id: null,
  idempotent_replay: true,
});

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

export function keyFrom(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : BARE.exec(header)?.[0];
  if (key === undefined) throw refusal('VALIDATION_FAILED', { field: 'Idempotency-Key', reason: BAD_KEY });
  return key;
}
