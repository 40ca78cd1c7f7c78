import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Content, OutgoingMessage } from '../../../../actors/network/port.ts';
import type { Message } from '../../../network-peer/people/handset.ts';
import { location, poll, quote } from '../../../network-peer/people/sayings.ts';
import { aDevice } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;
const card = (tel: string): string => `BEGIN:VCARD\nVERSION:3.0\nFN:Budi\n${tel}\nEND:VCARD`;

/** What a phone is shown of each kind of message without a file; those with one are in files.test.ts. */
const OUT: readonly (readonly [what: string, sent: Partial<OutgoingMessage> & { readonly content: Content }, shown: object])[] = [
  ['text', { content: { type: 'text', body: 'Hi' } }, { conversation: 'Hi' }],
  [
    'text that names somebody',
    { content: { type: 'text', body: 'Ask @6281100000003' }, mentions: ['6281100000003@s.whatsapp.net'] },
    { extendedTextMessage: { text: 'Ask @6281100000003', contextInfo: { mentionedJid: ['6281100000003@s.whatsapp.net'] } } },
  ],
  [
    'location',
    { content: { type: 'location', lat: -6.2, lng: 106.8 } },
    { locationMessage: { degreesLatitude: -6.2, degreesLongitude: 106.8 } },
  ],
  [
    'contact',
    { content: { type: 'contact', name: 'Budi', phone: '6281100000003' } },
    {
      contactMessage: {
        displayName: 'Budi',
        vcard: card('TEL;type=CELL;type=VOICE;waid=6281100000003:+6281100000003'),
      },
    },
  ],
  [
    'poll',
    { content: { type: 'poll', name: 'When?', choices: ['Now', 'Later'] } },
    { pollCreationMessageV3: { name: 'When?', options: [{ optionName: 'Now' }, { optionName: 'Later' }], selectableOptionsCount: 1 } },
  ],
];

const budi = { type: 'contact', name: 'Budi', phone: '6281100000003' } as const;
const SECRET = Buffer.alloc(32, 1);

/** The same the other way, and in the envelopes that phones put around it. */
const IN: readonly (readonly [what: string, written: Message, heard: Content])[] = [
  ['text', { conversation: 'Hi' }, { type: 'text', body: 'Hi' }],
  ['text with a link', { extendedTextMessage: { text: 'see https://example.com' } }, { type: 'text', body: 'see https://example.com' }],
  ['text that disappears', { ephemeralMessage: { message: { conversation: 'Hi' } } }, { type: 'text', body: 'Hi' }],
  ['location', location(-6.2, 106.8), { type: 'location', lat: -6.2, lng: 106.8 }],
  ['location that is no number', location(Number.NaN, 106.8), { type: 'location', lat: 0, lng: 106.8 }],
  ['location beyond the globe', location(90.5, Number.NEGATIVE_INFINITY), { type: 'location', lat: 0, lng: 0 }],
  ['location that moves', { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2 } }, { type: 'location', lat: 1, lng: 2 }],
  ['contact', { contactMessage: { displayName: 'Budi', vcard: card('TEL;waid=6281100000003:+62 811-0000-0003') } }, budi],
  ['contact who is not on the network', { contactMessage: { displayName: 'Budi', vcard: card('TEL;CELL:+62 811-0000-0003') } }, budi],
  [
    'contacts, of which the first',
    { contactsArrayMessage: { contacts: [{ displayName: 'Budi', vcard: card('TEL:+6281100000003') }] } },
    budi,
  ],
  ['poll', poll('When?', ['Now', 'Later'], SECRET), { type: 'poll', name: 'When?', choices: ['Now', 'Later'] }],
  [
    'button',
    { buttonsResponseMessage: { selectedButtonId: '1', selectedDisplayText: 'Yes, please' } },
    { type: 'text', body: 'Yes, please' },
  ],
  [
    'row of a list',
    { listResponseMessage: { title: 'Small', singleSelectReply: { selectedRowId: 's' } } },
    { type: 'text', body: 'Small' },
  ],
  [
    'button of a template',
    { templateButtonReplyMessage: { selectedId: '1', selectedDisplayText: 'Stop' } },
    { type: 'text', body: 'Stop' },
  ],
];

describe('each message type in the WhatsApp driver', () => {
  it('is sent in the format that phones use', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    for (const [what, sent] of OUT) shop.connection.send({ netId: what, to: annaJid, quotes: null, ...sent });
    await shop.hears('acked', OUT.length);
    await world.pass(500);
    for (const [what, , shown] of OUT) assert.partialDeepStrictEqual(world.peer.contact(ANNA).shown(what).message, shown, what);
  });

  it('is received as its own type', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    for (const [, written] of IN) await world.peer.contact(ANNA).writes(SHOP, written);
    await world.peer.contact(ANNA).writes(SHOP, quote('That one', 'm1', `${SHOP}@s.whatsapp.net`));
    const last = await shop.hears('received', IN.length + 1);
    const heard = shop.all('received').map(({ message }) => message.content);
    assert.deepEqual(
      heard.slice(0, -1),
      IN.map(([, , content]) => content),
    );
    assert.equal(last.message.quotes, 'm1');
  });
});
