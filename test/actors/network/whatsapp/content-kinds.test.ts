import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readContent } from '../../../../actors/network/whatsapp/inbound/read-content.ts';
import { loadLibrary, type proto } from '../../../../actors/network/whatsapp/library.ts';
import { type ContentKind, isSpoken } from '../../../../store/messaging/content-kinds.ts';

/** A field of a protocol buffer: its number, and bytes or a number. */
function field(number: number, value: Uint8Array | string | number): Buffer {
  const varint = (given: number): number[] => (given < 128 ? [given] : [(given % 128) + 128, ...varint(Math.floor(given / 128))]);
  if (typeof value === 'number') return Buffer.from([...varint(number * 8), ...varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}

interface Expected {
  readonly type: string;
  readonly text: string | null;
  readonly kind: ContentKind | null;
  readonly content?: object;
}

const library = await loadLibrary();

function read(message: proto.IMessage | Uint8Array) {
  const bytes = message instanceof Uint8Array ? message : library.proto.Message.encode(message).finish();
  return readContent(library, library.proto.Message.decode(bytes), bytes);
}

function shown(message: proto.IMessage | Uint8Array): Expected | null {
  const found = read(message);
  if (!found) return null;
  const { content, extras } = found;
  const text =
    'body' in content ? content.body : 'caption' in content ? content.caption : content.type === 'location' ? null : content.name;
  return { type: content.type, text, kind: extras?.kind ?? null, ...(extras?.content && { content: extras.content }) };
}

const OPEN = 'open it on your phone';
const product = { productId: 'P1', title: 'Shirt', currencyCode: 'IDR', priceAmount1000: 50_000_000 };
const productFields = {
  ...{ product_id: 'P1', title: 'Shirt', description: null, price: 50_000, sale_price: null, currency: 'IDR' },
  ...{ retailer_id: null, url: null, seller: '628@s.whatsapp.net' },
};
const plain = (text: string): Expected => ({ type: 'text', text, kind: null });
const hi = { conversation: 'Hi' };

const CASES: Readonly<Record<string, readonly [proto.IMessage | Uint8Array, Expected | null]>> = {
  'an order': [
    {
      orderMessage: {
        orderId: 'O1',
        itemCount: 2,
        status: 1,
        message: 'Two please',
        orderTitle: 'Shop',
        totalAmount1000: 100_000_000,
        totalCurrencyCode: 'IDR',
        token: 'T',
      },
    },
    {
      ...{ type: 'text', text: 'Two please', kind: 'order' },
      content: {
        order_id: 'O1',
        items: 2,
        status: 'inquiry',
        title: 'Shop',
        message: 'Two please',
        seller: null,
        token: 'T',
        total: 100_000,
        currency: 'IDR',
      },
    },
  ],
  'a product': [
    { productMessage: { product, businessOwnerJid: '628@s.whatsapp.net' } },
    { type: 'text', text: 'Shirt', kind: 'product', content: { ...productFields, body: null, footer: null } },
  ],
  'a product question': [
    {
      extendedTextMessage: {
        text: 'In blue?',
        contextInfo: { quotedMessage: { productMessage: { product, businessOwnerJid: '628@s.whatsapp.net' } } },
      },
    },
    { type: 'text', text: 'In blue?', kind: 'product_question', content: productFields },
  ],
  'a tapped button': [
    { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Yes' } },
    { type: 'text', text: 'Yes', kind: 'button_answer', content: { id: 'b1', text: 'Yes' } },
  ],
  'a tapped template button': [
    { templateButtonReplyMessage: { selectedId: 'b2', selectedDisplayText: 'No', selectedIndex: 1 } },
    { type: 'text', text: 'No', kind: 'button_answer', content: { id: 'b2', text: 'No', index: 1 } },
  ],
  'a flow response': [
    { interactiveResponseMessage: { nativeFlowResponseMessage: { name: 'flow', paramsJson: '{"id":"x","size":"L"}' } } },
    { type: 'text', text: 'x', kind: 'button_answer', content: { id: 'x', text: null, name: 'flow', params: { id: 'x', size: 'L' } } },
  ],
  'a selected list item with only an id': [
    { listResponseMessage: { singleSelectReply: { selectedRowId: 'r1' } } },
    { type: 'text', text: 'r1', kind: 'list_answer', content: { id: 'r1', title: null, description: null } },
  ],
  'a list': [
    {
      listMessage: {
        title: 'Menu',
        description: 'Choose',
        buttonText: 'Open',
        footerText: 'Bye',
        sections: [{ rows: [{ title: 'Tea', rowId: 't' }] }],
      },
    },
    {
      ...{ type: 'text', text: 'Menu\nChoose\nBye', kind: 'interactive' },
      content: { title: 'Menu', body: 'Choose', footer: 'Bye', button: 'Open', buttons: [{ text: 'Tea', id: 't', description: null }] },
    },
  ],
  buttons: [
    { buttonsMessage: { text: 'T', contentText: 'C', buttons: [{ buttonId: 'b', buttonText: { displayText: 'Ok' } }] } },
    {
      type: 'text',
      text: 'T\nC',
      kind: 'interactive',
      content: { title: 'T', body: 'C', footer: null, buttons: [{ text: 'Ok', id: 'b' }] },
    },
  ],
  'a template with a code': [
    { templateMessage: { hydratedTemplate: { hydratedContentText: 'Your code is 123456' } } },
    {
      ...{ type: 'text', text: 'Your code is 123456', kind: 'template' },
      content: { title: null, body: 'Your code is 123456', footer: null, buttons: [] },
    },
  ],
  'a business notice': [
    { highlyStructuredMessage: { hydratedHsm: { hydratedFourRowTemplate: { hydratedContentText: 'Shipped' } } } },
    { type: 'text', text: 'Shipped', kind: 'template', content: { title: null, body: 'Shipped', footer: null, buttons: [] } },
  ],
  'a message with a flow': [
    {
      interactiveMessage: {
        body: { text: 'Pay' },
        nativeFlowMessage: { buttons: [{ name: 'cta_url', buttonParamsJson: '{"display_text":"Go"}' }] },
      },
    },
    {
      ...{ type: 'text', text: 'Pay', kind: 'interactive' },
      content: {
        title: null,
        body: 'Pay',
        footer: null,
        buttons: [{ text: 'Go', name: 'cta_url', params: { display_text: 'Go' } }],
        cards: [],
      },
    },
  ],
  'an event': [
    { eventMessage: { name: 'Party', description: 'Bring cake', startTime: 1_800_000_000, joinLink: 'https://x' } },
    {
      ...{ type: 'text', text: 'Party\nBring cake', kind: 'event' },
      content: {
        ...{ name: 'Party', description: 'Bring cake', url: 'https://x', starts_at: 1_800_000_000_000, ends_at: null },
        ...{ canceled: false, call: false, location: null },
      },
    },
  ],
  'an event invitation, which the library does not know': [
    field(122, Buffer.concat([field(2, 'E1'), field(3, 'Party'), field(5, 1_800_000_000)])),
    {
      ...{ type: 'text', text: 'Party', kind: 'event' },
      content: {
        event_id: 'E1',
        name: 'Party',
        description: null,
        url: null,
        starts_at: 1_800_000_000_000,
        ends_at: null,
        canceled: false,
      },
    },
  ],
  'a group invitation': [
    { groupInviteMessage: { groupJid: '1@g.us', inviteCode: 'C', groupName: 'Fans', inviteExpiration: 1_800_000_000 } },
    {
      ...{ type: 'text', text: 'Fans', kind: 'group_invite' },
      content: { group_id: '1@g.us', code: 'C', name: 'Fans', caption: null, expires_at: 1_800_000_000_000 },
    },
  ],
  'a channel admin invitation': [
    { newsletterAdminInviteMessage: { newsletterJid: '1@newsletter', newsletterName: 'News', caption: 'Join us' } },
    {
      ...{ type: 'text', text: 'Join us', kind: 'channel_invite' },
      content: { channel_id: '1@newsletter', name: 'News', caption: 'Join us', expires_at: null },
    },
  ],
  'a payment request': [
    {
      requestPaymentMessage: { currencyCodeIso4217: 'IDR', amount1000: 5_000_000, noteMessage: { extendedTextMessage: { text: 'Rent' } } },
    },
    {
      ...{ type: 'text', text: 'Payment requested: IDR 5000\nRent', kind: 'payment' },
      content: { action: 'requested', amount: 5_000, currency: 'IDR', note: 'Rent', expires_at: null },
    },
  ],
  'a payment reminder, which the library does not know': [
    field(124, field(1, 'x')),
    { type: 'text', text: 'Reminds you of a payment', kind: 'payment', content: { action: 'reminded' } },
  ],
  'a comment': [
    { commentMessage: { message: { conversation: 'Nice' }, targetMessageKey: { id: 'M1' } } },
    { type: 'text', text: 'Nice', kind: 'comment', content: { target: 'M1' } },
  ],
  'a scheduled call': [
    { scheduledCallCreationMessage: { scheduledTimestampMs: 1_800_000_000_000, callType: 2, title: 'Demo' } },
    { type: 'text', text: 'Demo', kind: 'call_link', content: { title: 'Demo', at: 1_800_000_000_000, video: true, url: null } },
  ],
  'a sticker pack': [
    { stickerPackMessage: { name: 'Cats', publisher: 'Anna', stickers: [{}, {}] } },
    { type: 'text', text: 'Cats', kind: 'sticker_pack', content: { name: 'Cats', publisher: 'Anna', caption: null, stickers: 2 } },
  ],
  'poll results': [
    field(
      115,
      library.proto.Message.PollResultSnapshotMessage.encode({
        name: 'Lunch?',
        pollVotes: [{ optionName: 'Yes', optionVoteCount: 3 }],
      }).finish(),
    ),
    {
      ...{ type: 'text', text: 'Lunch?\nYes: 3', kind: 'system' },
      content: { event: 'poll_result', name: 'Lunch?', options: [{ name: 'Yes', count: 3 }] },
    },
  ],
  'a phone number request': [
    { requestPhoneNumberMessage: {} },
    { type: 'text', text: 'Asks for your phone number', kind: 'system', content: { event: 'number_requested' } },
  ],
  'a view-once picture': [
    { viewOnceMessageV2: { message: { imageMessage: { url: 'https://x', mediaKey: Buffer.alloc(32), caption: 'secret' } } } },
    { type: 'text', text: `View-once message: ${OPEN}`, kind: 'view_once', content: { media: 'image' } },
  ],
  'a view-once video without a wrapper': [
    { videoMessage: { viewOnce: true, caption: 'secret' } },
    { type: 'text', text: `View-once message: ${OPEN}`, kind: 'view_once', content: { media: 'video' } },
  ],
  'unknown content': [
    field(137, field(1, 'a secret')),
    { type: 'text', text: `Unsupported message: ${OPEN}`, kind: 'unsupported', content: { field: 137 } },
  ],
  'a conditional reveal': [
    field(120, field(1, 'x')),
    { type: 'text', text: `Unsupported message: ${OPEN}`, kind: 'unsupported', content: { field: 120 } },
  ],
  'a text next to unknown content': [Buffer.concat([field(1, 'Hi'), field(150, 'x')]), plain('Hi')],
  'a text that mentions a group': [{ groupMentionedMessage: { message: hi } }, plain('Hi')],
  'a spoiler text, which the library does not know': [field(118, field(1, field(1, 'Hi'))), plain('Hi')],
  'a text in three wrappers': [
    { ephemeralMessage: { message: { botForwardedMessage: { message: { questionMessage: { message: hi } } } } } },
    plain('Hi'),
  ],
  'a Lottie sticker': [
    { lottieStickerMessage: { message: { stickerMessage: { mimetype: 'application/was' } } } },
    { type: 'sticker', text: null, kind: null },
  ],
  'a document with a caption': [
    { documentWithCaptionMessage: { message: { documentMessage: { caption: 'Price list' } } } },
    { type: 'document', text: 'Price list', kind: null },
  ],
  'a round video': [{ ptvMessage: { mimetype: 'video/mp4' } }, { type: 'video', text: null, kind: null }],
  'a poll V4': [
    { pollCreationMessageV4: { message: { pollCreationMessage: { name: 'Lunch?' } } } },
    { type: 'poll', text: 'Lunch?', kind: null },
  ],
  'a poll V5': [{ pollCreationMessageV5: { name: 'Lunch?' } }, { type: 'poll', text: 'Lunch?', kind: null }],
  'a poll V6, which the library does not know': [field(119, field(2, 'Lunch?')), { type: 'poll', text: 'Lunch?', kind: null }],
  'a group key': [{ senderKeyDistributionMessage: { groupId: '1@g.us' } }, null],
  'an album container': [{ albumMessage: { expectedImageCount: 2 } }, null],
  'a status mention': [{ statusMentionMessage: { message: { protocolMessage: { type: 25 } } } }, null],
  'an event cover': [{ eventCoverImage: { message: { imageMessage: {} } } }, null],
  'a pin': [{ pinInChatMessage: {} }, null],
  'a channel profile': [field(116, field(1, field(1, 'x'))), null],
};

describe('message content', () => {
  for (const [what, [message, expected]] of Object.entries(CASES))
    it(`is parsed correctly for ${what}`, () => assert.deepEqual(shown(message), expected));

  it('is read completely even if a copy of our own message contains another copy', () => {
    const copyOf = (inside: Uint8Array): Uint8Array => field(31, field(2, inside));
    const bytes = copyOf(copyOf(field(119, field(2, 'Lunch?'))));
    const { deviceSentMessage } = library.proto.Message.decode(bytes);
    const [live, inHistory] = [deviceSentMessage?.message ?? {}, library.proto.Message.decode(bytes)];
    assert.equal(readContent(library, live, bytes)?.content.type, 'poll');
    assert.equal(readContent(library, inHistory, bytes)?.content.type, 'poll');
  });

  it("counts as the person's own words only in product questions, button answers and list answers", () => {
    const spoken = Object.values(CASES).flatMap(([message]) => {
      const kind = shown(message)?.kind;
      return kind && isSpoken({ parts: { kind } }) ? [kind] : [];
    });
    assert.deepEqual([...new Set(spoken)], ['product_question', 'button_answer', 'list_answer']);
  });

  it('includes quotes, mentions, advertisements and place details', () => {
    const contextInfo = {
      ...{ stanzaId: 'M1', participant: '1@lid', mentionedJid: ['62811@s.whatsapp.net', 'nobody'], isForwarded: true, expiration: 604_800 },
      externalAdReply: { title: 'Sale', body: 'Now', sourceUrl: 'https://fb.me/1', sourceId: '9', ctwaClid: 'C' },
    };
    const { quotes, quotesFrom, mentions, extras } = read({ extendedTextMessage: { text: '', contextInfo } }) ?? {};
    assert.deepEqual([quotes, quotesFrom, mentions], ['M1', '1@lid', ['62811@s.whatsapp.net']]);
    const ad = { title: 'Sale', body: 'Now', source_url: 'https://fb.me/1', source_id: '9', ctwa: 'C' };
    assert.deepEqual(extras, { ad, forwarded: true, ephemeral: 604_800 });
    const place = read({
      locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: 'Cafe', address: 'Street 1', url: 'https://cafe' },
    });
    assert.deepEqual(place?.extras, { place: { name: 'Cafe', address: 'Street 1', url: 'https://cafe' } });
  });

  it('quotes nothing if the id of the quoted message is longer than any id', () => {
    const long = 'A'.repeat(65_536);
    const mentionedJid = Array.from({ length: 5_000 }, (_, nth) => `62811${nth}@s.whatsapp.net`);
    const contextInfo = { stanzaId: long, participant: long, mentionedJid };
    const found = read({ extendedTextMessage: { text: 'Hi', contextInfo } });
    assert.deepEqual([found?.quotes, found?.quotesFrom, found?.mentions?.length], [null, undefined, 1_024]);
  });

  it('is an empty text with the advertisement if a person replies to an advertisement without writing anything', () => {
    const found = read({ extendedTextMessage: { contextInfo: { externalAdReply: { title: 'Sale' } } } });
    assert.deepEqual([found?.content, found?.extras?.ad?.title], [{ type: 'text', body: '' }, 'Sale']);
  });

  it('shows which files are round, looping or animated', () => {
    const content = (message: Parameters<typeof read>[0]) => Object(read(message)?.content);
    const [circle, loop] = [content({ ptvMessage: {} }), content({ videoMessage: { gifPlayback: true } })];
    const moves = content({ stickerMessage: { isAnimated: true } });
    assert.deepEqual([circle.round, loop.gif, moves.animated], [true, true, true]);
    assert.deepEqual(Object.keys(content({ videoMessage: {} })), ['type', 'file', 'caption', 'voiceNote']);
  });

  it('includes all contact cards with all numbers, and uses the number if a card has no name', () => {
    const cards = [
      {
        vcard:
          'BEGIN:VCARD\nN:Doe;Jane;;;\nFN:Jane Doe\nTEL;waid=6281100000001:+62 811-0000-0001\nitem1.TEL;type=HOME:021 555 0000\nEND:VCARD',
      },
      { displayName: 'Budi', vcard: 'TEL:0811' },
      { vcard: 'TEL:+62 812' },
    ];
    const found = read({ contactsArrayMessage: { contacts: cards } });
    assert.deepEqual(found?.content, { type: 'contact', name: 'Jane Doe', phone: '6281100000001' });
    assert.deepEqual(found?.extras?.contacts, [
      { name: 'Jane Doe', phones: ['6281100000001', '0215550000'] },
      { name: 'Budi', phones: ['0811'] },
      { name: '62812', phones: ['62812'] },
    ]);
  });

  it('is limited to 16 KB, however large the message is', () => {
    const rows = Array.from({ length: 1_000 }, (_, nth) => ({ title: 'x'.repeat(500), rowId: `${nth}` }));
    const content = read({ listMessage: { title: 'y'.repeat(50_000), sections: [{ rows }] } })?.extras?.content;
    assert.ok(Buffer.byteLength(JSON.stringify(content)) <= 16_384);
  });
});
