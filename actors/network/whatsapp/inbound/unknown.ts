import { memberOf } from '../../../../runtime/shapes.ts';
import type { FieldShape } from '../../../../store/devices/network-unknown.ts';
import type { BinaryNode, proto } from '../library.ts';

/**
 * Finds names of network data that this gateway does not understand, such as message fields and
 * kinds of stanzas. Never returns content. services/network-unknown/ keeps the counts.
 */

/** Fields, by name and number, that are not messages: keys, changes, containers, ignored fields. */
const SILENT: ReadonlySet<string> = new Set([
  ...['messageContextInfo', 'senderKeyDistributionMessage', 'fastRatchetKeySenderKeyDistributionMessage'],
  ...['pollUpdateMessage', 'pinInChatMessage', 'keepInChatMessage', 'albumMessage', 'placeholderMessage'],
  ...['statusMentionMessage', 'groupStatusMentionMessage', 'stickerSyncRmrMessage', 'chat', 'scheduledCallEditMessage'],
]);
const NO_MESSAGE: ReadonlySet<number> = new Set([
  ...[2, 11, 12, 15, 35, 46, 47, 50, 51, 56, 63, 65, 71, 76, 80, 82, 83, 85, 87, 90, 92],
  // These fields are not messages: options added to polls, group keys, profiles and channel previews.
  ...[116, 117, 121, 123, 126, 127, 130, 131],
]);

/** Highest field number that the library knows. Decoding loses fields with higher numbers. */
const LAST_KNOWN_FIELD = 114;
const MAX_FIELDS = 64;

export function unknownContents(message: proto.IMessage, bytes: Uint8Array | null): readonly string[] {
  const isSilent = (name: string): boolean => SILENT.has(name) || (name === 'protocolMessage' && !isEdit(message));
  const named = Object.keys(message).filter((name) => !isSilent(name) && memberOf(message, name) != null);
  const numbered = bytes
    ? fieldsOf(bytes, MAX_FIELDS)
        .map(({ field }) => field)
        .filter((field) => field > LAST_KNOWN_FIELD)
    : [];
  return [...named, ...new Set(numbered.map((field) => `field_${field}`))];
}

/** Edits have content. All other protocol messages only coordinate clients. */
const isEdit = ({ protocolMessage: act }: proto.IMessage): boolean => act?.type === MESSAGE_EDIT;
const MESSAGE_EDIT: proto.Message.ProtocolMessage.Type = 14;

export const unreadField = (bytes: Uint8Array): number | null =>
  fieldsOf(bytes, MAX_FIELDS).find(({ field, wire }) => wire === LENGTH && !NO_MESSAGE.has(field))?.field ?? null;

export const fieldIn = (bytes: Uint8Array, wanted: number): Uint8Array | null =>
  fieldsOf(bytes, MAX_READ_FIELDS).findLast(({ field, wire }) => field === wanted && wire === LENGTH)?.value ?? null;

export function numberIn(bytes: Uint8Array, wanted: number): number | null {
  const found = fieldsOf(bytes, MAX_READ_FIELDS).findLast(({ field, wire }) => field === wanted && wire === 0);
  return found ? (varintAt(found.value, 0)?.value ?? null) : null;
}

const MAX_READ_FIELDS = 256;

/** Each padding byte holds the length of the padding. */
export const unpadded = (padded: Uint8Array): Uint8Array => padded.subarray(0, padded.length - (padded.at(-1) ?? 0));

export const fieldsIn = (padded: Uint8Array): readonly number[] => outermost(padded).map(({ field }) => field);

/** Fields inside a text are not listed, because they could be characters of the text itself. */
const TEXT = 1;

export function shapeOf(padded: Uint8Array): readonly FieldShape[] {
  let left = MAX_FIELDS;
  return outermost(padded).map(({ value, ...shape }) => {
    left -= 1;
    if (shape.field === TEXT || shape.wire !== LENGTH) return shape;
    const within = fieldsOf(value, Math.max(left, 0)).map(({ value: _held, ...inner }) => inner);
    left -= within.length;
    return within.length > 0 ? { ...shape, within } : shape;
  });
}

const outermost = (padded: Uint8Array): readonly Field[] => fieldsOf(unpadded(padded), MAX_FIELDS);

interface Field extends FieldShape {
  readonly value: Uint8Array;
}

const LENGTH = 2;

function fieldsOf(bytes: Uint8Array, most: number): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length && fields.length < most; ) {
    const tag = varintAt(bytes, at);
    if (tag === null || tag.value < 8) return fields;
    const wire = tag.value % 8;
    const start = wire === LENGTH ? varintAt(bytes, tag.end)?.end : tag.end;
    const end = endOf(bytes, tag.end, wire);
    const value = bytes.subarray(start ?? bytes.length, end ?? bytes.length);
    fields.push({ field: Math.floor(tag.value / 8), wire, length: value.length, value });
    if (end === null) return fields;
    at = end;
  }
  return fields;
}

function endOf(bytes: Uint8Array, at: number, wire: number): number | null {
  const number = varintAt(bytes, at);
  switch (wire) {
    case 0:
      return number?.end ?? null;
    case 1:
      return at + 8;
    case 2:
      return number && number.end + number.value;
    case 5:
      return at + 4;
    default:
      return null;
  }
}

function varintAt(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let nth = 0; nth < 10; nth += 1) {
    const byte = bytes[at + nth];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 2 ** (7 * nth);
    if (byte < 0x80) return { value, end: at + nth + 1 };
  }
  return null;
}

const TAGS: ReadonlySet<string> = new Set([
  ...['ack', 'call', 'chatstate', 'failure', 'ib', 'iq', 'message', 'notification', 'presence', 'receipt', 'success'],
  ...['stream:error', 'stream:features', 'xmlstreamend'],
]);
const NOTIFICATIONS: ReadonlySet<string> = new Set([
  ...['account_sync', 'business', 'contacts', 'devices', 'disappearing_mode', 'encrypt', 'hosted', 'link_code_companion_reg', 'mediaretry'],
  ...['mex', 'newsletter', 'picture', 'privacy_token', 'psa', 'registration', 'server', 'server_sync', 'status', 'w:gp2', 'w:growth'],
]);
const NOTICES: ReadonlySet<string> = new Set([
  ...['client_expiration', 'dirty', 'downgrade_webclient', 'edge_routing', 'offline', 'offline_preview', 'priority_offline_complete'],
  ...['recovery_nonce', 'thread_metadata', 'tos'],
]);

/** Ignores the stanza without a tag, which the driver itself creates (`Frames`). */
export function unknownStanza({ tag, attrs, content }: BinaryNode): string | null {
  if (!TAGS.has(tag)) return tag || null;
  if (tag === 'notification') return NOTIFICATIONS.has(attrs['type'] ?? '') ? null : `notification_${attrs['type']}`;
  const child = tag === 'ib' && Array.isArray(content) ? content[0]?.tag : undefined;
  return child === undefined || NOTICES.has(child) ? null : `ib_${child}`;
}
