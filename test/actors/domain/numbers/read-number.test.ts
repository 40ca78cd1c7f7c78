import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, digitsRead, type NumberRules, openNumber, sentenceOf } from '../../../../actors/domain/numbers/read-number.ts';
import { twinsOf } from '../../../../actors/domain/numbers/twins.ts';

/** What a text means for a business of this calling code that knows these numbers: digits, both readings, or the code of the fault. */
function meant(text: string, callingCode: string | null, known: readonly string[] = [], bare?: NumberRules['bare']): string {
  const read = openNumber(text, { callingCode, bare }).decide(new Set(known));
  if (read.kind === 'number') return read.digits;
  return read.kind === 'ambiguous' ? read.readings.join(' or ') : codeOf(read);
}

describe('a typed number', () => {
  const ways = [
    ['with dots', '0812.1111.9005'],
    ['with slashes', '0812/1111/9005'],
    ['with a slash after the area code', '0812/11119005'],
    ['pasted from a phone', '\u202a+62\u00a0812\u20111111\u20119005\u202c'],
    ['in Arabic-Indic digits', '٠٨١٢١١١١٩٠٠٥'],
    ['in Persian digits', '۰۸۱۲ ۱۱۱۱ ۹۰۰۵'],
    ['in Devanagari digits', '०८१२-११११-९००५'],
    ['in full-width digits', '＋６２８１２１１１１９００５'],
    ['in keycaps', '0️⃣8️⃣1️⃣2️⃣1️⃣1️⃣1️⃣1️⃣9️⃣0️⃣0️⃣5️⃣'],
    ['with the country code in brackets', '(+62) 812-1111-9005'],
    ['with dots after a plus', '+62.812.1111.9005'],
    ['with an extension', '+62 812 1111 9005 ext. 12'],
    ['with an abbreviated extension', '0812 1111 9005 x12'],
    ['with an extension that is not separated by a space', '081211119005ext12'],
    ['with a German extension', '0812 1111 9005 Durchwahl 12'],
    ['with an extension after #', '0812 1111 9005 #12'],
    ['after a word', 'WA 0812 1111 9005'],
    ['after a word with a digit', 'HP 1: 081211119005'],
    ['directly after a word', 'Tel081211119005'],
    ['directly after an abbreviation that ends in the letter o', 'No081211119005'],
    ['before a letter', '0812 1111 9005 M'],
    ['after a flat number', '3D 081211119005'],
    ['before a word', '0812 1111 9005 (WA)'],
    ['after an emoji', '📱 0812-1111-9005'],
    ['as tel:', 'tel:+62-812-1111-9005;ext=12'],
    ['as a link', 'https://wa.me/6281211119005?text=order%20number%2012345678'],
    ['as a link without a scheme', 'wa.me/+62 812 1111 9005'],
    ['as a link with query parameters', 'https://api.whatsapp.com/send?phone=%2B62%20812%201111%209005&text=hi'],
    ['as an address', '6281211119005@s.whatsapp.net'],
    ['as an address in an older format', '6281211119005@c.us'],
    ['with thousands separators', '6,281,211,119,005'],
    ['with decimals', '6281211119005.0'],
    ['with thousands separators and decimals', '6.281.211.119.005,00'],
    ['in scientific notation with all digits', '6.281211119005E+12'],
    ['as a spreadsheet formula', '="081211119005"'],
    ['after an apostrophe', "'081211119005"],
    ['with spaces around it', '  081211119005\n'],
    ['with the trunk zero in brackets', '+62 (0) 812 1111 9005'],
    ['after 00', '0062 812 1111 9005'],
    ['in international form without a plus', '6281211119005'],
    ['without the trunk zero', '81211119005'],
  ] as const;
  for (const [how, text] of ways) it(`is recognized if it is written ${how}`, () => assert.equal(meant(text, '62'), '6281211119005'));

  const athome = [
    ['81', '090ー1234ー5678', '819012345678'],
    ['55', '+55 (0xx11) 98765-4321', '5511987654321'],
    ['55', '0xx11 98765-4321', '5511987654321'],
    ['52', '+52 044 55 1234 5678', '525512345678'],
    ['52', '+52 1 044 55 1234 5678', '525512345678'],
  ] as const;
  for (const [code, text, digits] of athome)
    it(`is read in the local notation of +${code}: ${text}`, () => assert.equal(meant(text, code), digits));

  const refused = [
    ['', 'empty'],
    [' \u200b ', 'empty'],
    ['Budi', 'invalid_number'],
    ['123', 'invalid_number'],
    ['0812-1111-0001|0812-1111-0002', 'several_numbers'],
    ['08123456789O', 'invalid_number'],
    ['0812 34 56 78 9O', 'invalid_number'],
    ['O8123456789', 'invalid_number'],
    ['081234567O90', 'invalid_number'],
    ['+62 812 1111 900l', 'invalid_number'],
    ['+62812', 'invalid_number'],
    ['budi.0812@mail.test', 'invalid_number'],
    ['120363041234567890@g.us', 'invalid_number'],
    ['https://shop.test/081211119005', 'invalid_number'],
    ['wa.me/message/ABCDEF123456', 'invalid_number'],
    ['0812-1111-9005 / 0813-1111-9005', 'several_numbers'],
    ['+62 812 1111 9005 ::: +62 813 1111 9005', 'several_numbers'],
    ['081211119005, 081311119005', 'several_numbers'],
    ['081211119005 or 081311119005', 'several_numbers'],
    ['+62812111190 05+6281311119005', 'several_numbers'],
    ['021-5551234/35', 'several_numbers'],
    ['0812-1111-9005 (2)', 'invalid_number'],
    ['order 4711, 081211119005', 'invalid_number'],
    ['0812 then 1111 9005', 'invalid_number'],
    ['6.28E+12', 'digits_lost'],
    [`0812 1111 9005 ${' '.repeat(300)}`, 'invalid_number'],
    [`+${'6'.repeat(30)}`, 'invalid_number'],
  ] as const;
  for (const [text, code] of refused) it(`is rejected as ${code}: "${text.slice(0, 40)}"`, () => assert.equal(meant(text, '62'), code));
});

describe('digits without a plus', () => {
  const shown = ['821012345678', '819012345678', '85366123456', '8562012345678', '886912345678', '5215512345678', '22507123456'];
  for (const digits of shown)
    it(`resolve to the known person with these digits: ${digits}`, () => {
      assert.equal(meant(digits, '62', [digits]), digits);
      assert.equal(meant(digits, '62', [digits], 'national'), digits);
    });

  it('are ambiguous if both a foreign and a domestic mobile number are possible', () => {
    assert.equal(meant('819012345678', '62'), '62819012345678 or 819012345678');
    assert.equal(
      meant('821012345678', '62', ['62821012345678']),
      '62821012345678 or 821012345678',
      'another number that is known proves nothing',
    );
    assert.equal(meant('819012345678', '62', [], 'national'), '62819012345678');
    assert.equal(meant('819012345678', '62', [], 'international'), '819012345678');
  });

  it('are read as a mobile number if the other reading is not a mobile number', () => {
    assert.equal(meant('81234567890', '62'), '6281234567890', 'a fixed line in Japan');
    assert.equal(meant('4915123456789', '62'), '4915123456789');
    assert.equal(meant('6591234567', '62'), '6591234567', 'a fixed line at home');
  });

  it('are read as a domestic number in countries without a trunk digit', () => {
    assert.equal(meant('2025550123', '1'), '12025550123');
    assert.equal(meant('6591234567', '1', [], 'international'), '6591234567');
    assert.equal(meant('612345678', '34'), '34612345678');
    assert.equal(meant('91234567', '65'), '6591234567');
    assert.equal(meant('(11) 98765-4321', '55'), '5511987654321');
    assert.equal(meant('3912345678', '39'), '393912345678', 'an Italian mobile that begins like the country code');
  });

  it('are rejected if the area code is missing', () => assert.equal(meant('98765-4321', '55'), 'invalid_number'));

  it('are read with the country that the caller gives', () => {
    assert.equal(meant('0412 345 678', '61'), '61412345678');
    assert.equal(meant('412345678', '61'), '61412345678');
    assert.equal(meant('0812 3456 7890', null), 'no_country');
    for (const callingCode of ['9999', '031', '0044', '0']) assert.equal(meant('0812 3456 7890', callingCode), 'invalid_number');
  });

  it('keep a leading zero that is part of the number', () => {
    assert.equal(meant('06 1234 5678', '39'), '390612345678');
    assert.equal(meant('390612345678', '39'), '390612345678');
    assert.equal(meant('2250701234567', '225'), '2250701234567');
  });
});

describe('a number from another country', () => {
  it('is rejected if it is far longer than any number in that country', () => {
    for (const [text, home] of [
      ['062 812 1111 9005', '62'],
      ['017 62812 1111 9005', '62'],
      ['+626281290000001', '62'],
      ['〒100 090-1234-5678', '81'],
    ] as const)
      assert.equal(meant(text, home), 'invalid_number', text);
  });

  it('can follow the international prefix of the home country', () => {
    assert.equal(meant('011 62 812 3456 7890', '1'), '6281234567890');
    assert.equal(meant('0011 62 812 3456 7890', '61'), '6281234567890');
    assert.equal(meant('8 10 62 812 3456 7890', '7'), '6281234567890');
    assert.equal(meant('001 62 812 3456 7890', '65'), '6281234567890');
    assert.equal(meant('010 62 812 3456 7890', '81'), '6281234567890');
  });
});

describe('a number next to the name or flag of a country', () => {
  const beside = [
    ['012-345 6789 (Malaysia)', '62', '60123456789'],
    ['(Malaysia) 012-345 6789', '62', '60123456789'],
    ['9123 4567 [Singapura]', '62', '6591234567'],
    ['9123 4567 (新加坡)', '62', '6591234567'],
    ['🇲🇾 012-345 6789', '62', '60123456789'],
    ['0151 23456789 🇩🇪', '34', '4915123456789'],
    ['06 12 34 56 78 (France, WhatsApp)', '49', '33612345678'],
    ['55 1234 5678 (México)', '57', '525512345678'],
    ['(202) 555-0123 (USA)', '62', '12025550123'],
    ['60123456789 (Malaysia)', '62', '60123456789'],
    ['+62 812 1111 9005 (Malaysia)', '62', '6281211119005'],
    ['0812-1111-9005 (Indonesia)', '60', '6281211119005'],
    ['012-345 6789 (Malaysia / Indonesia)', '62', 'invalid_number'],
    ['012-345 6789 🇲🇾🇮🇩', '62', 'invalid_number'],
  ] as const;
  for (const [text, home, said] of beside)
    it(`is read correctly with home country +${home}: "${text}"`, () => assert.equal(meant(text, home), said));

  it('is read as a domestic number if the country name cannot belong to its digits', () => {
    assert.equal(meant('0812-1111-9005 (Jordan)', '62'), '6281211119005');
    assert.equal(meant('0812-1111-9005 (Malaysia)', '62'), '6281211119005');
    assert.equal(meant('0912 345 678 (Anh)', '84'), '84912345678');
    assert.equal(meant('0812-1111-9005 (PA)', '62'), '6281211119005');
  });

  it('resolves to the known person with its digits', () => {
    assert.equal(meant('60123456789 (Singapore)', '62', ['60123456789']), '60123456789');
  });
});

describe('a number with a dialling prefix', () => {
  const dialled = [
    ['001 65 9123 4567', '62', '6591234567'],
    ['007 81 90 1234 5678', '62', '819012345678'],
    ['01017 65 9123 4567', '62', '6591234567'],
    ['001 202 555 0123', '62', '12025550123'],
    ['+54 9 011 15 2345-6789', '54', '5491123456789'],
    ['+54 9 (011) 15-2345-6789', '62', '5491123456789'],
    ['00 54 9 0351 15 412 3456', '34', '5493514123456'],
    ['+52 1 044 55 1234 5678', '52', '525512345678'],
    ['9090 11 98765-4321', '55', '5511987654321'],
    ['90 90 (11) 98765-4321', '55', '5511987654321'],
    ['9090 98765-4321', '55', 'invalid_number'],
    ['0 15 11 98765-4321', '55', '5511987654321'],
  ] as const;
  for (const [text, home, said] of dialled)
    it(`is read correctly with home country +${home}: "${text}"`, () => assert.match(meant(text, home), new RegExp(`^${said}$`)));
});

describe('a number from a changed numbering plan', () => {
  const forms = [
    ['Mexico', '5215512345678', '525512345678'],
    ['Argentina', '541123456789', '5491123456789'],
    ['Brazil', '551187654321', '5511987654321'],
    ['Ivory Coast', '22507123456', '2250707123456'],
    ['Vietnam', '841201234567', '84701234567'],
    ['Benin', '22997123456', '2290197123456'],
    ['Gabon', '24106123456', '24166123456'],
  ] as const;
  for (const [country, former, today] of forms)
    it(`resolves in ${country} to the form that the tenant already knows`, () => {
      assert.deepEqual([twinsOf(former), twinsOf(today)], [[today], [former]]);
      for (const text of [`+${former}`, `00${former}`, `+${today}`, `00${today}`]) {
        assert.equal(meant(text, '62', [former]), former);
        assert.equal(meant(text, '62', [today]), today);
        assert.equal(meant(text, '62'), text.replace(/^(\+|00)/, ''), 'as it is written while nobody is known');
        assert.equal(meant(text, '62', [former, today]), text.replace(/^(\+|00)/, ''));
      }
    });

  it('is read in its old and new domestic forms', () => {
    for (const text of ['044 55 1234 5678', '01 55 1234 5678', '55 1234 5678', '+52 1 55 1234 5678']) {
      assert.equal(meant(text, '52', ['525512345678']), '525512345678');
      assert.equal(meant(text, '52', ['5215512345678']), '5215512345678');
    }
    assert.equal(meant('15512345678', '52'), '525512345678 or 15512345678');
    assert.equal(meant('07 12 34 56', '225'), '22507123456');
    assert.equal(meant('07 12 34 56', '225', ['2250707123456']), '2250707123456');
    assert.equal(meant('(11) 8765-4321', '55', ['5511987654321']), '5511987654321');
  });
});

describe('a number outside every numbering plan', () => {
  it('is accepted if the tenant knows it, and rejected otherwise', () => {
    for (const text of ['+999123456789', '00999123456789', '999123456789']) {
      assert.equal(meant(text, '1', ['999123456789']), '999123456789');
      assert.equal(meant(text, '1'), 'invalid_number');
    }
  });
});

describe('reading a number', () => {
  it('looks up known people only if they affect the outcome', () => {
    for (const text of ['+6281211119005', '081211119005', '6281211119005', '+819012345678', 'Budi'])
      assert.deepEqual(openNumber(text, { callingCode: '62' }).asks, []);
    assert.deepEqual(openNumber('819012345678', { callingCode: '62' }).asks, ['819012345678']);
  });

  it('explains a failure in one sentence and names both readings', () => {
    const read = openNumber('819012345678', { callingCode: '62' }).decide(new Set());
    assert.ok(read.kind === 'ambiguous');
    assert.equal(sentenceOf('819012345678', read).en, '819012345678 could be two different people; write +62819012345678 or +819012345678');
    assert.throws(() => digitsRead('819012345678', read), {
      code: 'INVALID_NUMBER',
      details: { reason: sentenceOf('819012345678', read), readings: ['+62819012345678', '+819012345678'] },
    });
  });
});
