import { createDecipheriv, hkdfSync } from 'node:crypto';
import { bytesField } from '../inbound/history-batches.ts';
import type { proto } from '../library.ts';
import { keepSalt } from '../outbound/tokens.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { settingKeys } from './push-patch.ts';

type Reading = Omit<ConnectionContext, 'labels' | 'chatMarks'>;

const INDEX = JSON.stringify(['nct_salt_sync']);

/** Stores the salt for our proofs to strangers (`cstoken`). After linking, only this collection has it. */
export async function keepSaltOf(context: Reading, sealed: readonly proto.ISyncdMutation[]): Promise<void> {
  const change = await lastChange(context, sealed);
  if (change) keepSalt(context, change.salt);
}

async function lastChange(context: Reading, sealed: readonly proto.ISyncdMutation[]): Promise<{ salt: Uint8Array | null } | null> {
  const { SyncActionData, SyncdMutation } = context.library.proto;
  for (const { operation, record } of sealed.toReversed()) {
    const opened = await openedRecord(context, record);
    if (!opened || Buffer.from(SyncActionData.decode(opened).index ?? []).toString() !== INDEX) continue;
    const salt = operation === SyncdMutation.SyncdOperation.REMOVE ? null : bytesField(opened, ...SALT_IN_ACTION);
    return { salt };
  }
  return null;
}

/** Field numbers that the library lacks: the action's value, the salt action and the salt. */
const SALT_IN_ACTION = [2, 80, 1];
const MAC_BYTES = 32;
const IV_BYTES = 16;
/** The second of the expanded keys decrypts the content. */
const KEYS = { bytes: 160, info: 'WhatsApp Mutation Keys', opening: [32, 64] } as const;

export async function indexOf(context: Reading, record: proto.ISyncdRecord | null | undefined): Promise<string | null> {
  const opened = await openedRecord(context, record);
  return opened && Buffer.from(context.library.proto.SyncActionData.decode(opened).index ?? []).toString();
}

/** Decrypts without checking the MAC, which was checked when the page was read. */
async function openedRecord(context: Reading, record: proto.ISyncdRecord | null | undefined): Promise<Buffer | null> {
  const id = Buffer.from(record?.keyId?.id ?? []).toString('base64');
  const key = await settingKeys(context)(id);
  if (!key?.keyData) return null;
  const keys = Buffer.from(hkdfSync('sha256', key.keyData, Buffer.alloc(0), KEYS.info, KEYS.bytes));
  const sealed = Buffer.from(record?.value?.blob ?? []).subarray(0, -MAC_BYTES);
  const decipher = createDecipheriv('aes-256-cbc', keys.subarray(...KEYS.opening), sealed.subarray(0, IV_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES)), decipher.final()]);
}
