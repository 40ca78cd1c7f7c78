import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countryFacts, isCountry, isTimezone } from '../../../actors/domain/countries.ts';
import { factsOf, resolveChat, resolveNumber } from '../../../actors/domain/phone-numbers.ts';

const zonesOf = (country: string) => (isCountry(country) ? countryFacts(country).zones : []);

describe('a phone number', () => {
  const same = [
    ['with a plus', '+6281234567890', null],
    ['with spaces, dashes and parentheses', '+62 (812) 3456-7890', null],
    ['with the 00 prefix', '00 62 812 3456 7890', '49'],
    ['in full digits', '6281234567890', null],
    ['in full digits at home', '6281234567890', '62'],
    ['with a zero left behind the code', '62 0812 3456 7890', '62'],
    ['with a zero left behind the code, and a plus', '+62 (0)812-3456-7890', null],
    ['in local format', '0812-3456-7890', '62'],
    ['in local format without the leading zero', '81234567890', '62'],
  ] as const;
  for (const [how, input, callingCode] of same)
    it(`is understood ${how}`, () => assert.equal(resolveNumber(input, callingCode), '6281234567890'));

  it('in local format belongs to the business country', () => {
    assert.equal(resolveNumber('(202) 555-0123', '1'), '12025550123');
    assert.equal(resolveNumber('0151 23456789', '49'), '4915123456789');
    assert.equal(resolveNumber('06 1234 5678', '39'), '390612345678', 'Italy keeps its zero');
    assert.equal(resolveNumber('390612345678', '39'), '390612345678');
    assert.equal(resolveNumber('2250701234567', '225'), '2250701234567', 'so does the Ivory Coast');
  });

  it('of a foreign mobile in full digits is not mistaken for a fixed line at home', () => {
    assert.equal(resolveNumber('6591234567', '62'), '6591234567');
    assert.equal(resolveNumber('4915123456789', '62'), '4915123456789');
  });

  const wrong = [
    '',
    'hello',
    '+',
    '123',
    '+62812',
    '+9991234567',
    '0812 3456 7890',
    'call 6281234567890',
    '+62 812 3456 7890 ext 3',
    `+${'6'.repeat(30)}`,
  ];
  for (const input of wrong) it(`"${input}" is refused`, () => assert.throws(() => resolveNumber(input, null), { code: 'INVALID_NUMBER' }));
});

it('a local number with a calling code that nobody has is refused, an international one needs none', () => {
  for (const callingCode of ['9999', '031', '0044', '0'])
    assert.throws(() => resolveNumber('0812 3456 7890', callingCode), { code: 'INVALID_NUMBER' });
  assert.equal(resolveNumber('+6281234567890', '9999'), '6281234567890');
});

describe('a chat', () => {
  it('may be a number or any address of the network', () => {
    assert.equal(resolveChat('0812 3456 7890', '62'), '6281234567890@s.whatsapp.net');
    for (const jid of [
      '6281234567890@s.whatsapp.net',
      '120363041234567890@g.us',
      '6281-1612345678@g.us',
      '1203@newsletter',
      '1@broadcast',
      '99@lid',
      '0@s.whatsapp.net',
    ])
      assert.equal(resolveChat(jid, '62'), jid);
  });

  it('is refused when it is neither', () => {
    for (const input of ['someone@example.com', '@s.whatsapp.net', 'abc@g.us', `${'1'.repeat(60)}@g.us`])
      assert.throws(() => resolveChat(input, '62'), { code: 'INVALID_JID' });
    const written = ['62812-3456789', '6281234567890-', '081234567890', '006281234567890'];
    for (const input of [
      ...written.flatMap((who) => [`${who}@s.whatsapp.net`, `${who}@c.us`]),
      '9-9@lid',
      '12-3@newsletter',
      '1-1@broadcast',
    ])
      assert.throws(() => resolveChat(input, '62'), { code: 'INVALID_JID' }, input);
    assert.throws(() => resolveChat('nobody', '62'), { code: 'INVALID_NUMBER' });
  });
});

describe('what a number says about a business', () => {
  it('is country, calling code, time zone, language and currency', () => {
    const { zones, ...facts } = factsOf('6281234567890')!;
    assert.equal(zones.length, 4);
    assert.deepEqual(facts, {
      country: 'ID',
      callingCode: '62',
      timezone: 'Asia/Jakarta',
      locale: 'id',
      currency: 'IDR',
      display: '+62 812 3456 7890',
    });
    const { country, callingCode, timezone, locale, currency, display } = factsOf('12025550123')!;
    assert.deepEqual([country, callingCode, timezone, locale, currency], ['US', '1', 'America/New_York', 'en', 'USD']);
    assert.equal(display, '+1 202 555 0123');
  });

  it('is the main country where a calling code is shared and the number does not say', () => {
    assert.equal(factsOf('15551234567')?.country, 'US');
    assert.equal(factsOf('12042345678')?.country, 'CA');
  });

  it('is nothing for numbers of no country', () => assert.equal(factsOf('80012345678'), null));
});

describe('the zones of a country', () => {
  it('begin with the one most people live in, and are all real', () => {
    assert.equal(zonesOf('BR')[0], 'America/Sao_Paulo');
    assert.equal(zonesOf('IN')[0], 'Asia/Kolkata');
    assert.deepEqual(zonesOf('ID').toSorted(), ['Asia/Jakarta', 'Asia/Jayapura', 'Asia/Makassar', 'Asia/Pontianak']);
    for (const country of ['US', 'RU', 'AU', 'XK', 'VN', 'UA', 'IN']) {
      assert.ok(zonesOf(country).every(isTimezone), country);
      assert.equal(new Set(zonesOf(country)).size, zonesOf(country).length);
    }
  });

  it('are names, not offsets', () => {
    assert.equal(isTimezone('Asia/Jakarta'), true);
    assert.equal(isTimezone('UTC'), true);
    for (const name of ['+07:00', 'Mars/Olympus', '', 'asia']) assert.equal(isTimezone(name), false, name);
  });
});
