import type Joi from 'joi';
import type { RowFacts } from '../../http/core/engine.ts';
import { exampleOf } from '../../http/openapi/example.ts';
import { jsonSchemaOf } from '../../http/openapi/json-schema.ts';
import { parametersOf } from '../../http/openapi/openapi.ts';
import type { Answer, Api, Gateway } from '../support/gateway.ts';
import { fieldsOf } from '../support/hostile.ts';
import { expectListed } from '../support/listed-refusals.ts';
import { type Belongings, CUSTOMER, SESSIONS } from './belongings.ts';
import { KINDS, PLAIN, PROBES } from './probes.ts';

/** A request that names something by its id. */
export interface Naming {
  readonly row: RowFacts;
  readonly title: string;
  readonly path: string;
  readonly body: unknown;
}

/** What the network gave its names: its own answer depends on the device that asks. */
const OF_THE_NETWORK = {
  channelId: '120363000000000003@newsletter',
  groupId: '120363000000000001@g.us',
  communityId: '120363000000000002@g.us',
  code: 'AbCdEfGhIjKlMnOp',
};

/** Parameters that name nothing that somebody has. */
const FOR_ALL: Readonly<Record<string, string>> = { chatId: CUSTOMER, phone: CUSTOMER, industry: 'retail', noteId: '0', ...OF_THE_NETWORK };

/** What tenants call, but for a logout and a stream, whose answer has no end. */
export const rowsOfTenants = ({ node }: Gateway): readonly RowFacts[] =>
  node.http.rows.filter(({ access, id }) => access !== 'none' && access !== 'operator' && id !== 'logout' && id !== 'openEventStream');

/** Every row with every id of `strange`: in its path (there under the caller's own device, too), in its query, and in its body. */
export function naming(rows: readonly RowFacts[], strange: Belongings, own: Belongings): readonly Naming[] {
  return rows.flatMap((row) => [...inPath(row, strange, own), ...inQuery(row, strange, own), ...inBody(row, strange, own)]);
}

/** A likely request of this row about what `ids` name. */
export function about(row: RowFacts, ids: Belongings): Naming {
  const path = pathOf(row, ids);
  const taken = takenBy(row);
  return {
    row,
    title: `${row.method} ${row.path} at ${path}`,
    path,
    body: taken && (PLAIN[row.id] ?? exampleOf(jsonSchemaOf(taken))),
  };
}

/** The JSON that a row takes. */
const takenBy = ({ body, bytes }: RowFacts): Joi.Schema | undefined => body ?? bytes?.describedBy;

function inPath(row: RowFacts, strange: Belongings, own: Belongings): readonly Naming[] {
  const mixed = new Map([...own, ...strange]);
  const [wholly, underOwn] = [about(row, mixed), about(row, mixed.set(SESSIONS, own.get(SESSIONS)!))];
  const plain = pathOf(row, own);
  return [...(wholly.path === underOwn.path ? [] : [wholly]), underOwn].filter(({ path }) => path !== plain);
}

function* inQuery(row: RowFacts, strange: Belongings, own: Belongings): Generator<Naming> {
  for (const { name, in: where } of parametersOf(row)) {
    const id = where === 'query' && strange.get(KINDS[name] ?? '');
    if (id) yield { row, title: `${row.id} with ${name}`, path: `${pathOf(row, own)}?${name}=${id}`, body: undefined };
  }
}

/** Throws for a field that nobody has tried: it needs a line in probes.ts. */
function* inBody(row: RowFacts, strange: Belongings, own: Belongings): Generator<Naming> {
  const taken = takenBy(row);
  if (!taken) return;
  const fields = new Set([...fieldsOf(jsonSchemaOf(taken))].map(({ at }) => String(at.findLast((part) => typeof part === 'string'))));
  for (const field of fields) {
    const id = strange.get(KINDS[field] ?? '');
    if (id === undefined) continue;
    const probe = PROBES[`${row.id}.${field}`];
    if (!probe) throw new Error(`what is asked with ${row.id}.${field}?`);
    yield { row, title: `${row.id} with ${field}`, path: pathOf(row, own), body: probe(id, own.get(SESSIONS)!) };
  }
}

/** Throws for a parameter of which nobody has one: a new kind of thing needs a line in belongings.ts. */
function pathOf({ path, id }: RowFacts, ids: Belongings): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string, at: number) => {
    const known = FOR_ALL[name] ?? ids.get(path.slice(0, at - 1));
    if (known === undefined) throw new Error(`${id}: nobody has a ${name} of ${path.slice(0, at - 1)}`);
    return known;
  });
}

/** Asks it. Throws for a refusal that OpenAPI does not list for the row. */
export async function asked(api: Api, { row, title, path, body }: Naming): Promise<Answer> {
  const answer = await (row.bytes && body === undefined
    ? api(row.method, path, 'x', { 'content-type': row.bytes.types.find((type) => type.includes('ndjson')) ?? 'text/plain' })
    : api(row.method, path, body));
  expectListed(row, { status: answer.status, code: answer.body?.code }, title);
  return answer;
}

const PASSING = new Set(['last_seen_at', 'sending_per_minute']);

/** All that these rows show, by the row. What a moment alone changes is left out, and the audit log: reading some of it is an entry. */
export async function view(
  { during }: Pick<Gateway, 'during'>,
  api: Api,
  rows: readonly RowFacts[],
  own: Belongings,
): Promise<Readonly<Record<string, unknown>>> {
  const seen: Record<string, unknown> = {};
  for (const row of rows.filter(({ method, path }) => method === 'GET' && !path.startsWith('/v1/audit'))) {
    const { status, body } = await during(api('GET', pathOf(row, own)));
    seen[row.id] = [status, JSON.stringify(body, (name, value) => (PASSING.has(name) ? undefined : value))];
  }
  return seen;
}
