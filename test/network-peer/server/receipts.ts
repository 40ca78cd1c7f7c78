import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { bytesOf, child, children, el, type Stanza } from '../stanza.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';
import { notify } from './notices.ts';
import { isChannel } from './posts.ts';

/** Receipt types that confirm the arrival of a message. Posts are acknowledged without a receipt. */
const HAS_IT = new Set([undefined, 'inactive', 'peer_msg', 'sender', 'hist_sync']);

/** Handles a client's receipt: delivered, read, or not decryptable. */
export async function takeReceipt(exchange: Exchange, linked: Linked, receipt: Stanza): Promise<void> {
  const { id = '', to, type, participant } = receipt.attrs;
  linked.connection?.send(el('ack', { class: 'receipt', id, from: to, type, participant }));
  if (type === 'server-error') return answerForFile({ exchange, linked }, receipt);
  const ids = [id, ...children(receipt, 'list').flatMap((list) => children(list, 'item').map(({ attrs }) => attrs['id'] ?? ''))];
  if (HAS_IT.has(type) && !isChannel(to ?? '')) for (const each of ids) linked.mailbox.takeMessage(each);
  await exchange.people.hearsReceipt(linked, receipt, ids);
}

const NOT_THERE = 2;
const PURPOSE = 'WhatsApp Media Retry Notification';
const TAG_BYTES = 16;

/** Answers a computer's request that its phone upload a file again. Phones keep only the files in `keptFiles`. */
function answerForFile({ exchange, linked }: { exchange: Exchange; linked: Linked }, receipt: Stanza): void {
  const { account } = linked;
  const { id = '' } = receipt.attrs;
  const file = account.keptFiles.get(id);
  const answer = file ? sealedPath(exchange, { id, ...file }, child(receipt, 'encrypt')) : null;
  const content = [answer ?? el('error', { code: NOT_THERE }), ...children(receipt, 'rmr')];
  notify(exchange, linked, account.jid, 'mediaretry', content, { id });
}

interface KeptFile {
  readonly id: string;
  readonly mediaKey: Uint8Array;
  readonly sealed: Buffer;
}

/** Uploads a file again and encrypts its new path; null if the request names another message. */
function sealedPath(exchange: Exchange, { id, mediaKey, sealed }: KeptFile, asked: Stanza | undefined): Stanza | null {
  const key = Buffer.from(hkdfSync('sha256', mediaKey, '', PURPOSE, 32));
  const [packed, iv] = [bytesOf(asked, 'enc_p'), bytesOf(asked, 'enc_iv')];
  const open = createDecipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(id)).setAuthTag(packed.subarray(-TAG_BYTES));
  const plain = Buffer.concat([open.update(packed.subarray(0, -TAG_BYTES)), open.final()]);
  if (proto.ServerErrorReceipt.decode(plain).stanzaId !== id) return null;
  const { directPath } = exchange.media.put(sealed);
  const told = proto.MediaRetryNotification.encode({ stanzaId: id, directPath, result: SUCCESS }).finish();
  const nonce = exchange.random.bytes(12);
  const seal = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(id));
  const bytes = Buffer.concat([seal.update(told), seal.final(), seal.getAuthTag()]);
  return el('encrypt', {}, [el('enc_p', {}, bytes), el('enc_iv', {}, nonce)]);
}

const SUCCESS = 1;
