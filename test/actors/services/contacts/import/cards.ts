/**
 * Files of address cards as programs write them: their versions, charsets, ways to fold lines and own properties. The people are made up.
 * `people`: the digits of each person in the file's order, or `<line>: <code>` for a card that cannot be imported.
 */
export interface CardFile {
  readonly program: string;
  readonly lines: readonly string[];
  /** Default: UTF-8. */
  readonly encoding?: 'latin1' | 'utf16le';
  readonly people: readonly string[];
  readonly names: readonly string[];
  readonly tags?: readonly string[];
  /** Properties that are named as ignored. */
  readonly ignored?: readonly string[];
}

const A = '6281211110001';
const B = '6281211110002';

const card = (version: string, ...lines: readonly string[]): readonly string[] => [
  'BEGIN:VCARD',
  `VERSION:${version}`,
  ...lines,
  'END:VCARD',
];

/** A picture whose folded lines look like properties. */
const PHOTO = ['PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD', ' TEL:+6281299999999', ' END:VCARD', ' BEGIN:VCARD'];

/** "山田 太郎" in Shift_JIS. */
const YAMADA = Buffer.from('8e5293632091be9859', 'hex').toString('latin1');

export const CARDS: readonly CardFile[] = [
  {
    program: 'iPhone',
    lines: [
      ...card(
        '3.0',
        'PRODID:-//Apple Inc.//iPhone OS 17.5//EN',
        'N:Lee;Anna;;;',
        'FN:Anna Lee',
        'item1.TEL;type=pref:021-5550101',
        'item1.X-ABLabel:_$!<Main>!$_',
        'TEL;type=CELL;type=VOICE:\u202A+62 812\u20111111\u20110001\u202C',
        'item2.ADR;type=HOME;type=pref:;;Jl. Merdeka 1;Jakarta;;;Indonesia',
        'item2.X-ABADR:id',
        ...PHOTO,
      ),
      ...card('3.0', 'N:;;;;', 'FN:Shop', 'X-ABShowAs:COMPANY', 'TEL;type=IPHONE;type=CELL;type=VOICE:0812 1111 0002'),
    ],
    people: [A, B],
    names: ['Anna Lee', 'Shop'],
    ignored: ['X-ABADR', 'PHOTO', 'X-ABSHOWAS'],
  },
  {
    program: 'Address Book of an old Mac',
    lines: ['\uFEFFBEGIN:VCARD', ...card('3.0', 'N:Lee;Zoë;;;', 'FN:Zoë Lee', `TEL;type=CELL;type=pref:+${A}`).slice(1)],
    encoding: 'utf16le',
    people: [A],
    names: ['Zoë Lee'],
  },
  {
    program: 'Google Contacts',
    lines: [
      ...card(
        '3.0',
        'FN:Anna Lee',
        'N:Lee;Anna;;;',
        'TEL;TYPE=WORK:(021) 555-0101',
        'TEL;TYPE=CELL:+62 812-1111-0001',
        'CATEGORIES:VIP,myContacts',
      ),
      ...card('3.0', 'FN:Cat', 'EMAIL;TYPE=INTERNET:cat@example.com', 'CATEGORIES:myContacts'),
    ],
    people: [A, '9: empty'],
    names: ['Anna Lee'],
    tags: ['VIP'],
    ignored: ['EMAIL'],
  },
  {
    program: 'Android',
    lines: [
      ...card(
        '2.1',
        'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E5=BC=A0;=E4=BC=9F;;;',
        'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E5=BC=A0=',
        '=E4=BC=9F',
        'TEL;CELL;PREF:0812-1111-0001',
        'TEL;X-WhatsApp:0812-1111-0009',
        'X-ANDROID-CUSTOM;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:vnd.android.cursor.item/nickname;=41=',
        'TEL;CELL:0812-9999-9999',
      ),
      ...card('2.1', 'N:Ben;;;;', 'TEL;CELL:+6281211110002'),
    ],
    people: [A, B],
    names: ['张伟', 'Ben'],
    ignored: ['X-ANDROID-CUSTOM'],
  },
  {
    program: 'Samsung',
    lines: card(
      '2.1',
      'N:Lee;Anna;;;',
      'FN:Anna Lee',
      'TEL;HOME:021-5550101',
      'TEL;CELL:081211110001',
      'LABEL;ENCODING=QUOTED-PRINTABLE;HOME:Jl. Merdeka=0D=0A=',
      'TEL:+6281299999999',
      'PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQ',
      ' AAAQABAADAQAAAQABAAD',
      '',
    ),
    people: [A],
    names: ['Anna Lee'],
    ignored: ['LABEL', 'PHOTO'],
  },
  {
    program: 'Outlook',
    lines: [
      ...card(
        '2.1',
        'N;LANGUAGE=de;CHARSET=Windows-1252:Müller;Jörg',
        'FN;CHARSET=Windows-1252:Jörg Müller',
        'ORG:Acme',
        'TEL;WORK;VOICE:021-5550101',
        'TEL;CELL;VOICE:+62 812 1111 0001',
        'ADR;WORK;PREF;ENCODING=QUOTED-PRINTABLE:;;Jl. Merdeka 1=0D=0A=',
        'Lantai 2;Jakarta;;10110;Indonesia',
        'X-MS-OL-DEFAULT-POSTAL-ADDRESS:2',
      ),
      ...card('2.1', 'N:Wong;Mei', 'FN:Mei Wong', 'TEL;CELL;VOICE:012-345 6789', 'ADR;HOME;PREF:;;;Ipoh;;;Malaysia'),
    ],
    encoding: 'latin1',
    people: [A, '60123456789'],
    names: ['Jörg Müller', 'Mei Wong'],
    ignored: ['ORG', 'X-MS-OL-DEFAULT-POSTAL-ADDRESS'],
  },
  {
    program: 'Thunderbird',
    lines: card('4.0', 'FN:Anna Lee', 'N:Lee;Anna;;;', `TEL;TYPE=CELL;VALUE=TEXT:+${A}`, 'UID:0e7b8ce9-4ff3-4c68-8f0a-1f5a8a4b3c11'),
    people: [A],
    names: ['Anna Lee'],
  },
  {
    program: 'Nextcloud',
    lines: [
      ...card(
        '4.0',
        'FN:Anna Lee',
        'TEL;VALUE=uri;TYPE="voice,home":tel:+62-21-555-0101',
        'TEL;VALUE=uri;TYPE="voice,cell":tel:+62-812-1111-0001',
      ),
      ...card(
        '4.0',
        'FN:Ben',
        'TEL;PREF=1;VALUE=uri:tel:+62-812-1111-0002;ext=5',
        'KIND:individual',
        'REV;VALUE=DATE-AND-OR-TIME:20240101T000000Z',
      ),
    ],
    people: [A, B],
    names: ['Anna Lee', 'Ben'],
  },
  {
    program: 'WhatsApp, a shared contact of a business',
    lines: card(
      '3.0',
      'N:;;;;',
      'X-WA-BIZ-NAME:Toko Anna',
      'X-WA-BIZ-DESCRIPTION:Kue\\, roti',
      `item1.TEL;waid=${A}:+62 812-1111-0001`,
      'item1.X-ABLabel:Mobile',
    ),
    people: [A],
    names: ['Toko Anna'],
    ignored: ['X-WA-BIZ-DESCRIPTION'],
  },
  {
    program: 'WhatsApp, a number known in another form',
    lines: card('3.0', 'FN:Ana', 'TEL;type=CELL;waid=5215512345678:+52 55 1234 5678'),
    people: ['5215512345678'],
    names: ['Ana'],
  },
  {
    program: 'Nokia',
    lines: card(
      '2.1',
      'N;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Gonz=E1lez;Luz',
      'TEL;PREF;CELL;VOICE;ENCODING=QUOTED-PRINTABLE:=2B6281211110001',
    ),
    people: [A],
    names: ['Luz González'],
  },
  {
    program: 'a Japanese phone',
    lines: card('2.1', `N;CHARSET=SHIFT_JIS:${YAMADA};;;;`, 'TEL;CELL;VOICE:+819012345678'),
    encoding: 'latin1',
    people: ['819012345678'],
    names: ['山田 太郎'],
  },
  {
    program: 'Evolution',
    lines: [
      ...card('3.0', 'FN:An', ' na Lee', 'TEL;X-EVOLUTION-UI-SLOT=1;TYPE=CELL:+62', '  812-1111-0001', 'NICKNAME:An'),
      ...card('3.0', 'NICKNAME:Ben', 'TEL;TYPE=CELL:+62812', ' -1111-0002'),
    ],
    people: [A, B],
    names: ['Anna Lee', 'Ben'],
  },
  {
    program: 'BlackBerry, with a card in a card',
    lines: card('2.1', 'N:Lee;Anna', 'AGENT:', ...card('2.1', 'N:Ben', 'TEL;CELL:0812-1111-0002'), 'TEL;CELL:0812-1111-0001'),
    people: [A, B],
    names: ['Anna Lee', 'Ben'],
    ignored: ['AGENT'],
  },
  {
    program: 'a bought list, without ends and names',
    lines: ['BEGIN:VCARD', `TEL:${A}`, 'BEGIN:VCARD', 'ORG:Acme;Sales', 'TEL:nobody', 'TEL;FAX:021-5550101'],
    people: [A, '3: invalid_number'],
    names: [''],
    ignored: ['ORG'],
  },
];
