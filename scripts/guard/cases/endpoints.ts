import type { RowFacts } from '../../../http/core/engine.ts';
import type { JsonSchema } from '../../../http/openapi/json-schema.ts';
import { oneOf, type Random } from '../../../runtime/random.ts';
import { type Attack, type Attacks, type HostileRequest, hostileRequests, likelyPath } from '../../../test/support/hostile.ts';
import { fullestBodies } from '../inputs/fullest.ts';
import { HOSTILE_JSON } from '../inputs/json.ts';
import { HOSTILE_TEXTS, type HostileText } from '../inputs/texts.ts';
import type { Case } from '../judge.ts';
import { SECRETS } from '../subject.ts';

const LONGEST_TEXT = 65_536;

/** These endpoints come last, because they end the login, device or account of the other cases. */
const LAST = ['logout', 'deleteSession', 'logOutSession', 'deleteAccount'];

/** If `draw` is given, each field gets one random attack instead of all. */
export function* endpointCases(rows: readonly RowFacts[], known: Readonly<Record<string, string>>, draw: Random | null): Generator<Case> {
  const first = rows.filter(({ id }) => !LAST.includes(id));
  const last = rows.filter(({ id }) => LAST.includes(id));
  const some = <T extends NonNullable<unknown>>(all: readonly T[]): readonly T[] => (draw && all.length > 0 ? [oneOf(all, draw)] : all);
  const attacks: Attacks = {
    whole: () => some(WHOLE),
    field: (_row, schema) => textsFor(schema, some(HOSTILE_TEXTS)),
    address: () => some(ADDRESSES),
  };
  for (const row of first) yield* fullestOf(row, known);
  for (const hostile of hostileRequests([...first, ...last], known, attacks)) yield caseOf(hostile);
}

function* fullestOf(row: RowFacts, known: Readonly<Record<string, string>>): Generator<Case> {
  const path = likelyPath(row, known);
  for (const { field, body } of fullestBodies(row)) {
    const request = { method: row.method, path, body: JSON.stringify(body), type: 'application/json' };
    const full = caseOf({ row, title: `${row.id}: as many ${field} as it accepts`, request, mustRefuse: false });
    yield { ...full, kinds: [`${row.id} full`] };
  }
}

function caseOf({ row, title, request: { method, path, body, type } }: HostileRequest): Case {
  return {
    kinds: [`${row.id} ${body === undefined ? 'address' : 'body'}`],
    title: `${method} ${title}`,
    bytes: Buffer.byteLength(path) + Buffer.byteLength(body ?? ''),
    attack: ({ subject, tenant }) =>
      subject.send({
        method,
        path,
        ...(body !== undefined && { body }),
        headers: {
          authorization: `Bearer ${tenant.token}`,
          'x-admin-secret': SECRETS.admin,
          ...(type !== undefined && { 'content-type': type }),
        },
      }),
  };
}

function* textsFor({ type, maxLength }: JsonSchema, texts: readonly HostileText[]): Generator<Attack> {
  if (type !== undefined && ![type].flat().includes('string')) return;
  const longest = typeof maxLength === 'number' ? Math.min(maxLength, LONGEST_TEXT) : LONGEST_TEXT;
  for (const { title, of } of texts) yield { title, json: JSON.stringify(of(longest)), mustRefuse: false };
}

const WHOLE: readonly Attack[] = Object.entries(HOSTILE_JSON).map(([title, json]) => ({ title, json, mustRefuse: false }));

const ADDRESS_LENGTH = 2_000;
const ADDRESSES: readonly string[] = HOSTILE_TEXTS.map(({ of }) => encodeURIComponent(of(ADDRESS_LENGTH)));
