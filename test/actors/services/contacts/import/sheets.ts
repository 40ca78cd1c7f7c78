import type { ProgramFile } from './programs.ts';

/** Files that say in other ways who refused, and sheets with headers and countries in further languages. */
const A = '6281211110001';
const B = '6281211110002';

export const SHEETS: readonly ProgramFile[] = [
  {
    program: 'GoHighLevel',
    lines: ['Contact Id,First Name,Last Name,Phone,Email,DND,Tags', `a,Anna,Lee,+${A},,true,vip`, `b,Ben,,+${B},,false,vip`],
    people: [A, B],
    refusing: [A],
  },
  {
    program: 'Brevo with blocked contacts',
    lines: ['CONTACT ID,EMAIL,FIRSTNAME,WHATSAPP,SMS_BLACKLISTED', `1,,Anna,+${A},1`, `2,,Ben,+${B},0`],
    people: [A, B],
    refusing: [A],
  },
  {
    program: 'a list of subscriptions',
    lines: ['Nama,No WA,Status Langganan', `Anna,${A},berhenti`, `Ben,${B},aktif`],
    people: [A, B],
    refusing: [A],
  },
  {
    program: 'German newsletter',
    lines: ['Name;Handy;Rundbrief', `Anna;+${A};abgemeldet`, `Ben;+${B};dabei`],
    people: [A, B],
    refusing: [A],
  },
  {
    program: 'French statuses',
    lines: ['Nom;Portable;Statut', `Anne;+${A};désinscrit`, `Luc;+${B};abonné`],
    people: [A, B],
    refusing: [A],
  },
  {
    program: 'Arabic statuses',
    lines: ['الاسم,الجوال,حالة الرقم', `ليلى,+${A},ملغي الاشتراك`, `سارة,+${B},مشترك`],
    people: [A, B],
    refusing: [A],
  },
  {
    program: 'a note',
    lines: ['Name,Phone,Remark', `Anna,+${A},Do not contact`, `Ben,+${B},contact by phone`],
    people: [A, B],
    refusing: [A],
  },
  { program: 'orders', lines: ['Name,Phone,Order status', `Anna,+${A},cancelado`, `Ben,+${B},stopped`], people: [A, B], refusing: [] },
  {
    program: 'Italian sheet',
    lines: ['Nome;Cognome;Telefono;Cellulare;Paese', 'Anna;Rossi;02 1234567;333 1234567;Italia'],
    people: ['393331234567'],
    names: ['Anna Rossi'],
  },
  {
    program: 'Outlook in Dutch',
    lines: ['Voornaam;Achternaam;Telefoon thuis;Mobiele telefoon;Land', 'Anna;de Vries;020 1234567;06 12345678;Nederland'],
    people: ['31612345678'],
    names: ['Anna de Vries'],
  },
  { program: 'Turkish sheet', lines: ['AD SOYAD;CEP TELEFONU;ÜLKE', 'Ayşe Yılmaz;0532 123 45 67;TÜRKİYE'], people: ['905321234567'] },
  { program: 'Polish sheet', lines: ['Imię i nazwisko;Telefon komórkowy;Kraj', 'Anna Nowak;512 345 678;Polska'], people: ['48512345678'] },
  { program: 'Russian sheet', lines: ['ФИО;Мобильный телефон;Страна', 'Анна Иванова;8 916 123-45-67;Россия'], people: ['79161234567'] },
  { program: 'Vietnamese sheet', lines: ['Họ tên,Số điện thoại,Quốc gia', 'Anh,0912 345 678,Việt Nam'], people: ['84912345678'] },
  {
    program: 'Thai sheet',
    lines: ['ชื่อ,นามสกุล,เบอร์มือถือ,ประเทศ', 'สมชาย,ใจดี,081 234 5678,ไทย'],
    people: ['66812345678'],
    names: ['สมชาย ใจดี'],
  },
  { program: 'Chinese sheet', lines: ['姓名,手机号码,国家', '王伟,138 1234 5678,中国'], people: ['8613812345678'], names: ['王伟'] },
  { program: 'Japanese sheet', lines: ['氏名,携帯電話番号,国', '山田太郎,090-1234-5678,日本'], people: ['819012345678'] },
  { program: 'Korean sheet', lines: ['이름,휴대폰 번호,국가', '김철수,010-1234-5678,대한민국'], people: ['821012345678'] },
  { program: 'Malay sheet', lines: ['Nama Penuh,No. Telefon Bimbit,Negara', 'Ali,012-345 6789,Malaysia'], people: ['60123456789'] },
  { program: 'Bengali sheet', lines: ['নাম,মোবাইল নম্বর,দেশ', 'রহিম,০১৭১২ ৩৪৫৬৭৮,বাংলাদেশ'], people: ['8801712345678'] },
  { program: 'a plain list of numbers', lines: ['0812-1111-0001', '', `+${B}`], people: [A, B], names: [undefined, undefined] },
  {
    program: 'a list without a header',
    lines: ['1;Anna;0812-1111-0001;2001-02-03;anna@example.com', '2;Ben;nobody;2001-02-04;', `3;Mobile;+${B};2001-02-05;`, '4;Dora;;;'],
    people: [A, '2: invalid_number', B, '4: empty'],
    names: ['Anna', 'Mobile'],
  },
  {
    program: 'a list of refusals without a header',
    lines: [`${A},Jakarta,Anna,unsubscribed`, `${B},Jakarta,Ben,active`],
    people: [A, B],
    names: [undefined, undefined],
    refusing: [A],
  },
];
