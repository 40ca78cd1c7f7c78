import type { BinaryNode } from '@whiskeysockets/baileys';

export type Stanza = BinaryNode;
export type Attributes = Readonly<Record<string, string | number | null | undefined>>;

/** Domain of addresses by number. */
export const SERVER = 's.whatsapp.net';
/** The server's name for itself. */
export const THE_SERVER = `@${SERVER}`;

/**
 * Makes a stanza. Attributes without a value are omitted, and numbers become strings (the codec miscounts other
 * types).
 */
export function el(tag: string, attrs: Attributes = {}, content?: readonly Stanza[] | Uint8Array | string): Stanza {
  const given = Object.entries(attrs).filter((entry): entry is [string, string | number] => entry[1] !== undefined && entry[1] !== null);
  const node: Stanza = { tag, attrs: Object.fromEntries(given.map(([name, value]) => [name, String(value)])) };
  if (content !== undefined) node.content = Array.isArray(content) ? [...content] : (content as Uint8Array | string);
  return node;
}

export const children = (node: Stanza | undefined, tag?: string): readonly Stanza[] =>
  Array.isArray(node?.content) ? node.content.filter((child) => tag === undefined || child.tag === tag) : [];

export const child = (node: Stanza | undefined, tag: string): Stanza | undefined => children(node, tag)[0];

/** Returns the bytes in a stanza or in its first child `tag`; empty if there are none. */
export function bytesOf(node: Stanza | undefined, tag?: string): Buffer {
  const content = (tag === undefined ? node : child(node, tag))?.content;
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.alloc(0);
}

export const textOf = (node: Stanza | undefined, tag?: string): string => bytesOf(node, tag).toString();

export const unsigned = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

export function bigEndian(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

/** The parts of `6281…:3@s.whatsapp.net`; device 0 is the phone itself. */
export interface Address {
  readonly user: string;
  readonly device: number;
  readonly domain: string;
}

export function parseJid(jid: string): Address {
  const at = jid.indexOf('@');
  const [user = '', device = '0'] = jid.slice(0, at).split(':');
  return { user, device: Number(device), domain: jid.slice(at + 1) };
}

export const jidOf = (user: string, domain: string, device = 0): string => `${user}${device ? `:${device}` : ''}@${domain}`;

export const withoutDevice = (jid: string): string => jidOf(parseJid(jid).user, parseJid(jid).domain);

export const isGroup = (jid: string): boolean => jid.endsWith('@g.us');
