import { createDecipheriv, hkdfSync } from 'node:crypto';
import type { KnownSecret } from '../../content.ts';
import type { WAMessage } from '../library.ts';

/**
 * Decrypts edits, reactions and comments that are encrypted with another message's secret. An
 * address of each of the two authors is part of the encryption, so all of their addresses are
 * tried. Success does not prove that the author had permission, because every group member has the
 * secret.
 */

const TAG_BYTES = 16;
const KEY_BYTES = 32;
const MAX_BYTES = 128 * 1024;

export const LABELS = {
  reaction: ['Enc Reaction'],
  comment: ['Enc Comment'],
  eventEdit: ['Event Edit'],
  edit: ['Message Edit'],
  pollEdit: ['Poll Edit', 'Poll Add Option'],
} as const;

export interface Envelope {
  readonly encPayload?: Uint8Array | null;
  readonly encIv?: Uint8Array | null;
}

export interface Opening {
  readonly target: string;
  readonly makers: readonly string[];
  readonly labels: readonly string[];
}

export function openSealed({ encPayload, encIv }: Envelope, secrets: readonly KnownSecret[], opening: Opening): Uint8Array | null {
  const { target, makers, labels } = opening;
  if (!encPayload || !encIv || encPayload.length <= TAG_BYTES || encPayload.length > MAX_BYTES || encIv.length !== 12) return null;
  for (const { secret, authors } of secrets)
    for (const author of authors)
      for (const maker of makers)
        for (const label of labels) {
          const key = hkdfSync('sha256', Buffer.from(secret, 'base64'), '', `${target}${author}${maker}${label}`, KEY_BYTES);
          const opened = decrypted(encPayload, encIv, Buffer.from(key));
          if (opened) return opened;
        }
  return null;
}

function decrypted(sealed: Uint8Array, iv: Uint8Array, key: Buffer): Uint8Array | null {
  try {
    const cipher = createDecipheriv('aes-256-gcm', key, iv);
    cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([cipher.update(sealed.subarray(0, -TAG_BYTES)), cipher.final()]);
  } catch {
    return null;
  }
}

export function addressesOf({ key }: WAMessage, own: readonly (string | null | undefined)[]): readonly string[] {
  const author = key.participant || key.remoteJid;
  const alt = key.participant ? key.participantAlt : key.remoteJidAlt;
  const known = key.fromMe ? own : [author, alt];
  return [...new Set(known.flatMap((jid) => (jid ? [jid.replace(/:\d+(?=@)/, '')] : [])))];
}
