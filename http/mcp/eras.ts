import { isRecord } from '../../runtime/shapes.ts';
import { CODES, type Fields, RpcError, type RpcMessage } from './messages.ts';

export const MODERN = '2026-07-28';
/** Protocol revisions with an `initialize` handshake, newest first. Nothing from the handshake is stored. */
export const LEGACY: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

const META = 'io.modelcontextprotocol/';
export const SERVER_INFO = `${META}serverInfo`;

export interface Client {
  readonly era: 'modern' | 'legacy';
  readonly name: string | null;
  readonly canAsk: boolean;
}

/** Names are lower case. */
export type Header = (name: string) => string | undefined;

const LONGEST_NAME = 100;

/** Checks that the headers match `_meta` (2026-07-28, Streamable HTTP, Server Validation). */
export function clientOf({ method, params }: RpcMessage, header: Header): Client {
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const version = meta[`${META}protocolVersion`];
  const said = header('mcp-protocol-version');
  if (version === undefined && (said === undefined || LEGACY.includes(said))) return legacyClient(params, header);
  if (said !== undefined && version === undefined && said !== MODERN) throw unsupported(said);
  if (typeof version !== 'string') throw new RpcError(CODES.params, `\`_meta\` must have ${META}protocolVersion`);
  if (said !== version) throw mismatch('MCP-Protocol-Version', said, version);
  if (version !== MODERN) throw unsupported(version);
  if (header('mcp-method') !== method) throw mismatch('Mcp-Method', header('mcp-method'), method);
  expectName(method, params, header('mcp-name'));
  const capabilities = meta[`${META}clientCapabilities`];
  if (!isRecord(capabilities)) throw new RpcError(CODES.params, `\`_meta\` must have ${META}clientCapabilities`);
  return { era: 'modern', name: nameOf(meta[`${META}clientInfo`], header), canAsk: canShowForms(capabilities['elicitation']) };
}

/** Showing a form needs a stream, which this endpoint does not open for legacy clients. */
const legacyClient = (params: Fields, header: Header): Client => ({
  era: 'legacy',
  name: nameOf(params['clientInfo'], header),
  canAsk: false,
});

/** `{}` also means that forms are supported, because they used to be the only mode. */
const canShowForms = (elicitation: unknown): boolean =>
  isRecord(elicitation) && (isRecord(elicitation['form']) || Object.keys(elicitation).length === 0);

function nameOf(info: unknown, header: Header): string | null {
  const { name, version } = isRecord(info) ? info : {};
  const said = typeof name === 'string' ? [name, version].filter((part) => typeof part === 'string').join(' ') : header('user-agent');
  return said === undefined ? null : said.slice(0, LONGEST_NAME).toWellFormed();
}

const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

function expectName(method: string, params: Fields, sent: string | undefined): void {
  const field = NAMED[method];
  if (field === undefined) return;
  const name = params[field];
  if (sent === undefined || decoded(sent) !== name) throw mismatch('Mcp-Name', sent, name);
}

const SENTINEL = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

function decoded(value: string): string {
  const encoded = SENTINEL.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}

function mismatch(header: string, sent: string | undefined, body: unknown): RpcError {
  const said = sent === undefined ? 'is missing' : `'${sent.slice(0, LONGEST_NAME)}' is not what the body says`;
  return new RpcError(
    CODES.headers,
    `Header mismatch: ${header} ${said}${typeof body === 'string' ? ` (${body.slice(0, LONGEST_NAME)})` : ''}`,
  );
}

const unsupported = (requested: string): RpcError =>
  new RpcError(CODES.version, `Unsupported protocol version: ${requested.slice(0, LONGEST_NAME)}`, {
    data: { supported: [MODERN], requested: requested.slice(0, LONGEST_NAME) },
  });
