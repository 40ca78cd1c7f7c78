import { type Belongings, CUSTOMER } from '../../isolation/belongings.ts';
import { KINDS } from '../../isolation/probes.ts';
import type { Answer, Api } from '../../support/gateway.ts';

/** What a reader finds of an operation in the document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isOperators: boolean;
  /** Of the first media type of its request, with the printed example; null: it takes no body. */
  readonly body: { readonly type: string; readonly example: unknown } | null;
  /** Every status that it names. */
  readonly statuses: readonly number[];
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, object>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

/** Those that end what others need come last, in this order. */
const LAST = [
  'drainNode',
  'undrainNode',
  'disconnectSession',
  'restartSession',
  'logOutSession',
  'deleteSession',
  'endLogin',
  'logout',
  'deleteAccount',
  'getSenderQr',
  'enableOperatorTwoFactor',
  'verifyOperatorSecondFactor',
  'disableOperatorTwoFactor',
];

/** All of them: reading, then writing, then deleting. */
export function operationsOf({ paths }: Document): readonly Operation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(path, method.toUpperCase(), operation)),
  );
  return all.sort((a, b) => rankOf(a) - rankOf(b));
}

function operationOf(path: string, method: string, operation: OpenApiOperation): Operation {
  const [first] = Object.entries(operation.requestBody?.content ?? {});
  return {
    id: operation.operationId,
    method,
    path,
    isOperators: JSON.stringify(operation.security).includes('adminSecret'),
    body: first ? { type: first[0], example: first[1].example } : null,
    statuses: Object.keys(operation.responses).map(Number),
  };
}

function rankOf({ id, method }: Operation): number {
  if (LAST.includes(id)) return 3 + LAST.indexOf(id);
  if (method === 'DELETE') return 2;
  return method === 'GET' ? 0 : 1;
}

/** What a call needs besides what is printed: who calls, where, and what only the moment knows, such as a code. */
export interface Prepared {
  readonly api?: Api;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields that replace those of the printed body. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Where a file is sent, or where nothing is printed. */
  readonly raw?: { readonly type: string; readonly body: string };
}

/** Sends the printed request, with `ids` in the places of the ids of nobody. */
export function sent(api: Api, ids: Belongings, spare: string, operation: Operation, prepared: Prepared): Promise<Answer> {
  const { method, path, body } = operation;
  const at =
    prepared.path ?? path.replace(/\{(\w+)\}/g, (_whole, name: string, start: number) => known(ids, path.slice(0, start - 1), name));
  const caller = prepared.api ?? api;
  const { headers = {}, raw, fields } = prepared;
  if (raw) return caller(method, at, raw.body, { 'content-type': raw.type, ...headers });
  if (body?.type === 'multipart/form-data') return caller(method, at, FORM, { 'content-type': `${body.type}; boundary=edge`, ...headers });
  if (!body) return caller(method, at, undefined, headers);
  const printed = body.type === 'application/json' ? filled(body.example, ids, spare, '') : fileOf(body);
  const whole = fields ? { ...Object(printed), ...fields } : printed;
  return caller(method, at, whole, { 'content-type': body.type === '*/*' ? 'text/plain' : body.type, ...headers });
}

const FOR_ALL: Readonly<Record<string, string>> = {
  chatId: CUSTOMER,
  phone: CUSTOMER,
  industry: 'retail',
  noteId: '0',
  nodeId: 'n1',
  page: 'troubleshooting',
};

function known(ids: Belongings, path: string, name: string): string {
  const id = FOR_ALL[name] ?? ids.get(path);
  if (id === undefined) throw new Error(`nobody has a ${name} of ${path}`);
  return id;
}

const FORM = `--edge\r\ncontent-disposition: form-data; name="file"; filename="notes.txt"\r\n\r\nphone,name\r\n--edge--\r\n`;
const NOBODYS = '01JZX5ZB4T8QKX3N9V7C2M6D1E';
const NOBODYS_SECOND = '01JZX5ZB4T8QKX3N9V7C2M6D2F';

function filled(value: unknown, ids: Belongings, spare: string, name: string): unknown {
  if (value === NOBODYS) return ids.get(KINDS[name] ?? '') ?? value;
  if (value === NOBODYS_SECOND) return spare;
  if (Array.isArray(value)) return value.map((one) => filled(one, ids, spare, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, ids, spare, key)]));
}

const fileOf = ({ type, example }: NonNullable<Operation['body']>): string =>
  type === 'application/x-ndjson' ? String(example) : 'phone,name\n+6281234567899,Citra\n';
