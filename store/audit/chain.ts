import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { AuditDetail, AuditDraft, AuditRow } from './entry.ts';

export interface ChainHead {
  readonly seq: number;
  readonly mac: string;
}

export const NO_HEAD: ChainHead = { seq: 0, mac: '' };

export function chained(key: Buffer, draft: AuditDraft, head: ChainHead, salt: string): AuditRow {
  const { id, tenant_id, at, actor, auth, request_id, action, target, result, code } = draft;
  const person = personOf(target);
  const detail: AuditDetail = {
    salt,
    actor_name: actor.name,
    address: draft.address,
    person: person === null ? null : target.id,
    changes: draft.changes,
  };
  const unsigned: Omit<AuditRow, 'mac'> = {
    _id: id,
    tenant_id,
    seq: head.seq + 1,
    at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    auth,
    request_id,
    action,
    target_kind: target.kind,
    target_id: person === null ? target.id : personHash(key, tenant_id, person),
    result,
    code,
    commitment: commitmentTo(detail),
    prev: head.mac,
  };
  return { ...unsigned, mac: macOf(key, unsigned), detail };
}

/** A person's address: `<digits>@s.whatsapp.net`, `<digits>@lid`, `+<digits>` or bare digits. */
const OF_A_PERSON = /^\+?(\d{7,20})(@s\.whatsapp\.net|@c\.us)?$|^(\d{5,20}@lid)$/;

export function personOf({ kind, id }: AuditDraft['target']): string | null {
  if (id === null) return null;
  const [, digits, , lid] = OF_A_PERSON.exec(id) ?? [];
  return digits ?? lid ?? (kind === 'person' ? id : null);
}

/** A pseudonym. Without the key, guessed numbers cannot be matched against it. */
export const personHash = (key: Buffer, tenantId: string, phone: string): string =>
  `person:${createHmac('sha256', key).update(`person\n${tenantId}\n${phone}`).digest('hex').slice(0, 32)}`;

export function faultIn(key: Buffer, before: string | null, row: AuditRow): 'changed' | 'moved' | 'detail_removed' | null {
  if (!isWritten(key, row)) return 'changed';
  if (before !== null && row.prev !== before) return 'moved';
  if (row.detail === undefined) return isSame(row.erased, erasedMark(key, row)) ? null : 'detail_removed';
  return commitmentTo(row.detail) === row.commitment ? null : 'changed';
}

export const isWritten = (key: Buffer, row: AuditRow): boolean => isSame(row.mac, macOf(key, row));

/** A mark left by an erasure. If someone removes a detail in another way, the mark is missing. */
export const erasedMark = (key: Buffer, { mac }: Pick<AuditRow, 'mac'>): string =>
  createHmac('sha256', key).update(`erased\n${mac}`).digest('hex');

export const anchorMac = (key: Buffer, tenantId: string, { seq, mac }: ChainHead): string =>
  createHmac('sha256', key).update(`anchor\n${tenantId}\n${seq}\n${mac}`).digest('hex');

/** Checks the types as well, because `5` and `'5'` have the same signature. */
export const isHead = ({ seq, mac }: Readonly<Record<keyof ChainHead, unknown>>): boolean =>
  Number.isSafeInteger(seq) && typeof mac === 'string';

/** Compares in constant time. `stored` comes from the store, so it may not be a string. */
export function isSame(stored: unknown, own: string): boolean {
  if (typeof stored !== 'string') return false;
  const [left, right] = [Buffer.from(stored), Buffer.from(own)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const commitmentTo = ({ salt, actor_name, address, person, changes }: AuditDetail): string =>
  hash('sha256', canonical([salt, actor_name, address, person, changes]), 'hex');

/** Uses a fixed field order, because stores do not preserve the order reliably. */
const macOf = (key: Buffer, row: Omit<AuditRow, 'mac'>): string =>
  createHmac('sha256', key)
    .update(
      canonical([
        row.prev,
        row._id,
        row.tenant_id,
        row.seq,
        row.at,
        row.actor_kind,
        row.actor_id,
        row.auth,
        row.request_id,
        row.action,
        row.target_kind,
        row.target_id,
        row.result,
        row.code,
        row.commitment,
      ]),
    )
    .digest('hex');

/** Replaces lone surrogates, because a string that the store alters would break the chain. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) => (isPlain(part) ? sorted(part) : typeof part === 'string' ? part.toWellFormed() : part));

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (value: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
