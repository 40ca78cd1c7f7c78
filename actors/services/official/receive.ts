import { isAscii, isUtf8 } from 'node:buffer';
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { newId } from '../../../runtime/ids.ts';
import { type JsonLimits, JsonTooMuch } from '../../../runtime/json-scan.ts';
import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import { slicedJson } from '../../../runtime/sliced-json.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { HOOK_KEPT_MS, hookWeight, type OfficialHookRow, type OfficialHooks } from '../../../store/devices/official-hooks.ts';
import type { OfficialNumbers } from '../../../store/devices/official-numbers.ts';
import type { DeviceCommand } from '../../device/protocol.ts';
import { refusal } from '../../domain/refusals.ts';
import type { HookRoom } from './hook-room.ts';
import { hookHash, type OfficialKeyring } from './keys.ts';

export interface OfficialReceiveDeps {
  readonly officialNumbers: Pick<OfficialNumbers, 'byHook'>;
  readonly officialHooks: Pick<OfficialHooks, 'add'>;
  readonly officialKeys: OfficialKeyring;
  readonly hookRoom: HookRoom;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
  countForgery(address: string, now: number): Promise<void>;
  /** Counts dropped changes, whose number does not belong to this webhook. */
  dropped(changes: number): void;
}

export interface OfficialCall {
  readonly token: string;
  readonly raw: Buffer;
  readonly signature: string | undefined;
  readonly address: string;
  readonly now: number;
}

const RETRY_MS = 60_000;

type Numbers = Awaited<ReturnType<OfficialNumbers['byHook']>>;

interface Change {
  readonly field: string;
  readonly value: unknown;
}

/** Leaves out numbers with too many waiting webhooks, stores the rest and fails with OVERLOADED. */
export async function receiveOfficial(deps: OfficialReceiveDeps, call: OfficialCall): Promise<void> {
  const { token, raw, now } = call;
  const hook = hookHash(token);
  const numbers = await deps.officialNumbers.byHook(hook);
  if (numbers.length === 0) throw refusal('NOT_FOUND');
  if (!(await isSigned(deps.officialKeys, numbers, call))) {
    await deps.countForgery(call.address, now);
    throw refusal('BAD_SIGNATURE');
  }
  const turn = () => fairSlices.turn(numbers[0]?.tenant_id ?? '');
  const changes = changesOf(numbers, await parsed(raw, turn), deps.dropped);
  const digest = hash('sha256', raw, 'hex');
  const rows: OfficialHookRow[] = [];
  for (const [{ _id: session_id, tenant_id }, own] of changes) {
    await turn();
    const body = deps.officialKeys.sealHook(session_id, JSON.stringify(own));
    rows.push({
      _id: `${session_id}:${digest}`,
      tenant_id,
      session_id,
      body,
      ...{ waiting: true, weight: hookWeight(body) },
      seq: newId(now),
      expires_at: now + HOOK_KEPT_MS,
    });
  }
  const taken: OfficialHookRow[] = [];
  for (const hookRow of rows) if (await deps.hookRoom.take(hookRow, now)) taken.push(hookRow);
  if (taken.length > 0) await deps.officialHooks.add(taken);
  for (const number of changes.keys()) hint(deps.device(number));
  if (taken.length < rows.length) throw refusal('OVERLOADED', { retryAfterMs: RETRY_MS });
}

export async function verifyOfficial(
  { officialNumbers, officialKeys }: Pick<OfficialReceiveDeps, 'officialNumbers' | 'officialKeys'>,
  token: string,
  query: { readonly mode: string | undefined; readonly verifyToken: string | undefined; readonly challenge: string | undefined },
): Promise<string> {
  const [number] = await officialNumbers.byHook(hookHash(token));
  if (!number) throw refusal('NOT_FOUND');
  const { mode, verifyToken = '', challenge = '' } = query;
  const isRight = isEqual(officialKeys.open(number).verify_token, verifyToken);
  if (mode !== 'subscribe' || !isRight || !/^\d{1,64}$/.test(challenge)) throw refusal('FORBIDDEN');
  return challenge;
}

/** Characters per time slice. Escaping all 4 MB at once would block the node. */
const SLICE = 16_384;
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;
/** How much longer the escaped form can be. Only bodies of control characters would grow more. */
const MAX_GROWTH = 3;

/**
 * Whether the signature was made with one of the app secrets. All of them are always compared, so
 * that the response time does not reveal which one matches. The platform signs the escaped form of
 * the body. If a proxy has decoded the escapes, that form is restored first.
 */
async function isSigned(keys: OfficialKeyring, numbers: Numbers, { raw, signature = '', now }: OfficialCall): Promise<boolean> {
  if (!SIGNATURE.test(signature)) return false;
  const secrets = new Set(numbers.flatMap((number) => keys.appSecrets(number, now)));
  const makeHmacs = () => [...secrets].map((secret) => createHmac('sha256', secret));
  const fits = (hmacs: ReturnType<typeof makeHmacs>): boolean =>
    hmacs.map((hmac) => isEqual(`sha256=${hmac.digest('hex')}`, signature)).includes(true);

  if (fits(makeHmacs().map((hmac) => hmac.update(raw)))) return true;
  if ((isAscii(raw) && !raw.includes(DELETE)) || !isUtf8(raw)) return false;
  const text = raw.toString('utf8');
  const hmacs = makeHmacs();
  let length = 0;
  for (let from = 0; from < text.length; from += SLICE) {
    await fairSlices.turn(numbers[0]?.tenant_id ?? '');
    const piece = escaped(text.slice(from, from + SLICE));
    length += piece.length;
    if (length > MAX_GROWTH * raw.length) return false;
    for (const hmac of hmacs) hmac.update(piece);
  }
  return fits(hmacs);
}

/** The first character code that the platform escapes. */
const DELETE = 0x7f;
const BACKSLASH_U = 0x5c75_0000;
const HEX = Buffer.from('0123456789abcdef');
/** The two hex digits of each byte, as a 16-bit number. */
const PAIRS = Uint16Array.from({ length: 256 }, (_, byte) => HEX.readUInt8(byte >> 4) * 256 + HEX.readUInt8(byte & 15));
const pair = (byte: number): number => PAIRS[byte] ?? 0;
const scratch = Buffer.alloc(6 * SLICE);
const view = new DataView(scratch.buffer, scratch.byteOffset, scratch.length);

/**
 * The result is valid until the next call. Fills bytes directly, because a `replace` calls a
 * function for each letter and takes ten times as long.
 */
function escaped(slice: string): Buffer {
  let end = 0;
  for (let nth = 0; nth < slice.length; nth += 1) {
    const code = slice.charCodeAt(nth);
    if (code < DELETE) {
      scratch[end++] = code;
      continue;
    }
    view.setUint32(end, BACKSLASH_U | pair(code >> 8));
    view.setUint16(end + 4, pair(code & 255));
    end += 6;
  }
  return scratch.subarray(0, end);
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function changesOf(numbers: Numbers, body: unknown, dropped: (changes: number) => void): ReadonlyMap<Numbers[number], Change[]> {
  const changes = new Map<Numbers[number], Change[]>();
  let foreign = 0;
  for (const entry of recordsOf(memberOf(body, 'entry'))) {
    for (const change of recordsOf(entry['changes'])) {
      const { field, value } = change;
      if (typeof field !== 'string') continue;
      const id = memberOf(memberOf(value, 'metadata'), 'phone_number_id');
      const own = numbers.filter(({ official }) => (id === undefined ? official.waba_id === entry['id'] : official.phone_number_id === id));
      if (own.length === 0) foreign += 1;
      for (const number of own) {
        const list = changes.get(number) ?? [];
        list.push({ field, value });
        changes.set(number, list);
      }
    }
  }
  if (foreign > 0) dropped(foreign);
  return changes;
}

/** Maximum number of keys or values in a webhook. The platform sends fewer; this many parse in 20 ms. */
const MOST = 30_000;
const LIMITS: JsonLimits = { depth: 32, keys: MOST, itemKeys: MOST, values: MOST, itemBytes: Number.POSITIVE_INFINITY };

async function parsed(raw: Buffer, turn: () => Promise<void>): Promise<unknown> {
  try {
    return await slicedJson(raw, { limits: LIMITS, turn });
  } catch (cause) {
    if (cause instanceof JsonTooMuch) throw refusal('PAYLOAD_TOO_LARGE');
    throw refusal('INVALID_JSON');
  }
}

const recordsOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function hint(device: ActorRef<DeviceCommand>): void {
  try {
    device.tell({ type: 'hookArrived' });
  } catch {}
}
