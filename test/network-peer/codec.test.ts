import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import { el, type Stanza, THE_SERVER } from './stanza.ts';
import { decodeStanza, encodeStanza } from './wire/codec.ts';

const STANZAS: readonly Stanza[] = [
  el('message', {
    from: '6281100000001:3@s.whatsapp.net',
    id: '3A058584C53B',
    type: 'text',
    t: 1_795_233_236,
    sender_lid: '99673431480584@lid',
  }),
  el('message', { from: '99673431480584:3@lid', participant: '120363000000000001@g.us' }, [
    el('enc', { v: 2, type: 'pkmsg' }, Buffer.from('abc')),
  ]),
  el('iq', { from: THE_SERVER, type: 'result', id: '123.45-1' }),
  el('contact', { type: 'in' }, '+6281100000001'),
  el('notification', { from: '120363000000000001@g.us', type: 'w:gp2', notify: 'Änna 😀' }, [el('subject', { subject: 'Ü'.repeat(300) })]),
  el('big', { a: 'status@broadcast', b: '1.2-3', c: 'ABCDEF' }, Buffer.alloc(70_000, 7)),
  el('call', { from: '@call' }, [el('offer', {}, [el('audio'), el('video')])]),
];

it('the codec encodes stanzas to the same bytes as the client, and decodes them', async () => {
  for (const stanza of STANZAS) {
    const written = encodeStanza(stanza);
    assert.deepEqual(Buffer.from(written), Buffer.from(encodeBinaryNode(stanza)));
    assert.deepEqual(plain(await decodeBinaryNode(Buffer.from(written))), plain(stanza));
    assert.deepEqual(plain(decodeStanza(written)), plain(stanza));
  }
});

it('the codec rejects bytes that are not a stanza', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from([0, 248, 2]), Buffer.from('hello')]) assert.throws(() => decodeStanza(bytes));
});

/**
 * Removes differences that have no meaning: byte array types, empty lists, and the notation of an address without a
 * user.
 */
function plain({ tag, attrs, content }: Stanza): unknown {
  const seen = Object.fromEntries(Object.entries(attrs).map(([name, value]) => [name, value.replace(/^@/, '')]));
  const inside = Array.isArray(content)
    ? content.map(plain)
    : content === undefined
      ? []
      : Buffer.from(content as Uint8Array).toString('hex');
  return { tag, attrs: seen, inside };
}
