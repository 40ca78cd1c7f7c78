import { type Operations, PLACES } from '../../../openapi/client/gateway.generated.ts';

interface Parts {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
}

export interface ShownCall {
  readonly id: keyof Operations;
  readonly method: string;
  readonly address: string;
  readonly parts: Parts;
}

export function shownCall(id: keyof Operations, { params = {}, query = {}, body }: Parts): ShownCall {
  const [method, path] = PLACES[id];
  const parts = { ...(size(params) > 0 && { params }), ...(size(query) > 0 && { query }), ...(body !== undefined && { body }) };
  return { id, method, address: addressOf(path, params, query), parts };
}

export const isOperators = (id: keyof Operations): boolean => PLACES[id][1].startsWith('/v1/admin');

const size = (part: object): number => Object.keys(part).length;

function addressOf(pattern: string, params: object, query: object): string {
  const values: Readonly<Record<string, unknown>> = { ...params };
  const path = pattern.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(values[name])));
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.append(name, String(value));
  return asked.size > 0 ? `${path}?${asked}` : path;
}

export function curlOf({ id, method, address, parts }: ShownCall, origin: string): string {
  const secret = isOperators(id) ? 'X-Admin-Secret: $ADMIN_SECRET' : 'Authorization: Bearer $TOKEN';
  return [`curl -X ${method} ${quoted(origin + address)}`, `-H "${secret}"`, ...bodyOf(parts.body)].join(' \\\n  ');
}

function bodyOf(body: unknown): readonly string[] {
  if (body === undefined) return [];
  if (body instanceof Blob) return ['--data-binary @file'];
  if (!(body instanceof FormData)) return [`--json ${quoted(JSON.stringify(body, withoutSecrets))}`];
  return [...body].map(([name, value]) => `-F ${quoted(`${name}=${value instanceof File ? `@${value.name}` : value}`)}`);
}

export const typescriptOf = ({ id, parts }: ShownCall): string =>
  `await gateway.call('${id}', ${JSON.stringify(parts, (name, value) => (isFile(value) ? 'the file' : withoutSecrets(name, value)), 2)})`;

const isFile = (value: unknown): boolean => value instanceof FormData || value instanceof Blob;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const SECRETS: ReadonlySet<string> = new Set(['secret', 'token', 'refresh_token', 'code', 'credential', 'api_key', 'password']);

const withoutSecrets = (name: string, value: unknown): unknown => (SECRETS.has(name) ? '…' : value);
