/**
 * Contact files as programs write them. The header lines are those of the programs' exports; the people are made up. `people`: the digits of
 * each person in the file's order, or `<line>: <code>` for a row that cannot be imported.
 */
export interface ProgramFile {
  readonly program: string;
  readonly lines: readonly string[];
  readonly people: readonly string[];
  readonly names?: readonly (string | undefined)[];
  readonly separator?: string;
  /** The people among them who refused. */
  readonly refusing?: readonly string[];
}

const A = '6281211110001';
const B = '6281211110002';
const C = '6281211110003';

export const PROGRAMS: readonly ProgramFile[] = [
  {
    program: 'Google Contacts',
    lines: [
      'First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value',
      `Anna,,Lee,,,,,,,,,,,,,,* myContacts ::: VIP,* ,anna@example.com,Mobile,+62 812-1111-0001 ::: +62 812-1111-0009,,`,
      'Ben,,,,,,,,,,,,,,,,* myContacts,,,Work,(021) 555-0101,Mobile,0812-1111-0002',
      'Cat,,,,,,,,,,,,,,,,* myContacts,,cat@example.com,,,,',
    ],
    people: [A, B, '4: empty'],
    names: ['Anna Lee', 'Ben'],
  },
  {
    program: 'Google Contacts, older',
    lines: [
      'Name,Given Name,Additional Name,Family Name,Yomi Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,Phone 2 - Type,Phone 2 - Value,Address 1 - Country',
      'Anna Lee,Anna,,Lee,,* myContacts ::: Friends,,,Mobile,0812 1111 0001,,,Indonesia',
      'Mei Tan,Mei,,Tan,,* myContacts,,,,,Mobile,012-345 6789,Malaysia',
    ],
    people: [A, '60123456789'],
    names: ['Anna Lee', 'Mei Tan'],
  },
  {
    program: 'Outlook',
    lines: [
      'First Name,Middle Name,Last Name,Title,Suffix,Web Page,Birthday,E-mail Address,Home Phone,Home Phone 2,Business Phone,Business Phone 2,Mobile Phone,Car Phone,Other Phone,Primary Phone,Pager,Business Fax,Home Fax,Company Main Phone,Home Country/Region,Business Country/Region,Categories',
      'Anna,,Lee,,,,,a@example.com,,,,,+62 812 1111 0001,,,,,,,,,,VIP',
      'Ben,,,,,,,,,,021-5550101,,0812-1111-0002,,,,,021-5550199,,,,,',
      'Cat,,,,,,,,,,,,,,,"+62 812 1111 0003",,,,,,,',
    ],
    people: [A, B, C],
    names: ['Anna Lee', 'Ben', 'Cat'],
  },
  {
    program: 'Outlook.com',
    lines: [
      '"First Name","Last Name","E-mail Address","Primary Phone","Home Phone","Home Phone 2","Mobile Phone","Pager","Home Fax"',
      '"Anna","Lee","a@example.com","","","","081211110001","",""',
      '"Ben","","","021 5550101","","","+6281211110002","",""',
    ],
    people: [A, B],
  },
  {
    program: 'iPhone, by an exporter',
    lines: [
      'First name,Last name,Company,Mobile,Home,Work,iPhone,Email',
      'Anna,Lee,,"+62 812-1111-0001",,,,',
      'Ben,,,,,,"‪+62 812‑1111‑0002‬",',
    ],
    people: [A, B],
  },
  {
    program: 'Apple Numbers with a title',
    lines: ['Contacts of the shop;;', ';;', 'Name;Phone;Notes', 'Anna;0812-1111-0001;', 'Ben;not a number;'],
    people: [A, '5: invalid_number'],
    separator: ';',
  },
  {
    program: 'Samsung',
    lines: ['Display name,Mobile,Phone (Home),Email', `Anna,08${A.slice(3)},,`, 'Ben,,+6281211110002,'],
    people: [A, B],
  },
  {
    program: 'WhatsApp chat exporter',
    lines: ['Name,WhatsApp ID,Link', `Anna,${A},https://wa.me/${A}`, `Ben,https://wa.me/${B},`],
    people: [A, B],
  },
  {
    program: 'HubSpot',
    lines: [
      'Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,WhatsApp Phone Number,Contact owner,Lead Status,Marketing contact status,Country/Region,Create Date',
      '1,Anna,Lee,a@example.com,,+62 812-1111-0001,,,,,Indonesia,2024-01-01',
      '2,Ben,,,021 555 0101,0812 1111 0002,,,,,,',
      '3,Siti,,,,,+65 8123 4567,,,,Singapore,',
    ],
    people: [A, B, '6581234567'],
  },
  {
    program: 'Mailchimp',
    lines: [
      'Email Address,First Name,Last Name,Address,Phone Number,Birthday,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LAST_CHANGED,LEID,EUID,NOTES,TAGS',
      'a@example.com,Anna,Lee,,+6281211110001,,2,2024-01-01 10:00:00,,,,,,,,"""VIP"",""new"""',
    ],
    people: [A],
  },
  {
    program: 'Mailchimp, unsubscribed',
    lines: [
      'Email Address,First Name,Last Name,Phone Number,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_REASON',
      'a@example.com,Anna,Lee,+6281211110001,2024-05-03 10:00:00,Sale,NORMAL',
    ],
    people: [A],
  },
  {
    program: 'Shopify customers',
    lines: [
      'Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1,Default Address City,Default Address Province Code,Default Address Country Code,Default Address Zip,Default Address Phone,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags',
      '\'7011,Anna,Lee,a@example.com,yes,,,,,ID,,,\'+6281211110001,no,10.00,1,,no,"VIP, new"',
      "'7012,Mei,Tan,,no,,,,,MY,,012-345 6789,,no,0,0,,no,",
    ],
    people: [A, '60123456789'],
    names: ['Anna Lee', 'Mei Tan'],
  },
  {
    program: 'Shopify orders',
    lines: [
      'Name,Email,Financial Status,Total,Billing Name,Billing Phone,Billing Country,Shipping Name,Shipping Phone,Shipping Country,Phone',
      '#1001,a@example.com,paid,10,Anna Lee,081211110001,ID,Anna Lee,,ID,',
    ],
    people: [A],
  },
  {
    program: 'WooCommerce customers',
    lines: [
      'customer_id,username,first_name,last_name,email,billing_first_name,billing_last_name,billing_phone,billing_country,shipping_phone',
      '1,anna,Anna,Lee,a@example.com,Anna,Lee,0812-1111-0001,ID,',
      '2,mei,Mei,Tan,,Mei,Tan,012-345 6789,MY,',
    ],
    people: [A, '60123456789'],
  },
  {
    program: 'WooCommerce orders',
    lines: ['Order Number,First Name (Billing),Last Name (Billing),Phone (Billing),Country Code (Billing)', `1,Anna,Lee,${A},ID`],
    people: [A],
  },
  {
    program: 'Salesforce',
    lines: [
      '"Salutation","First Name","Last Name","Account Name","Phone","Mobile","Home Phone","Other Phone","Mailing Country","Do Not Call"',
      '"","Anna","Lee","Acme","021 555 0101","0812 1111 0001","","","Indonesia","0"',
    ],
    people: [A],
  },
  {
    program: 'Zoho CRM',
    lines: [
      'Record Id,First Name,Last Name,Full Name,Email,Phone,Mobile,Home Phone,Mailing Country',
      'zcrm_1,Anna,Lee,Anna Lee,,+62 21 555 0101,+62 812 1111 0001,,',
    ],
    people: [A],
    names: ['Anna Lee'],
  },
  {
    program: 'Pipedrive',
    lines: ['Person - Name,Person - Phone - Work,Person - Phone - Mobile,Person - Email', 'Anna,+62215550101,+6281211110001,'],
    people: [A],
    names: ['Anna'],
  },
  { program: 'Pipedrive people', lines: ['Name,Phone,Email,Organization', 'Anna,"+62215550101, +6281211110001",,'], people: [A] },
  {
    program: 'Odoo',
    lines: ['id,display_name,phone,mobile,email,country_id', '__export__.res_partner_1,Anna,021-5550101,0812-1111-0001,,Indonesia'],
    people: [A],
  },
  { program: 'Freshsales', lines: ['First name,Last name,Work,Mobile,Country', 'Anna,Lee,+62215550101,+6281211110001,'], people: [A] },
  {
    program: 'ActiveCampaign',
    lines: ['Email,First Name,Last Name,Phone,Tags', 'a@example.com,Anna,Lee,+6281211110001,"vip,new"'],
    people: [A],
  },
  {
    program: 'Klaviyo',
    lines: [
      'Email,First Name,Last Name,Phone Number,Country,Email Marketing Consent,SMS Marketing Consent',
      'a@example.com,Anna,Lee,+6281211110001,Indonesia,SUBSCRIBED,NEVER_SUBSCRIBED',
    ],
    people: [A],
  },
  {
    program: 'Brevo',
    lines: [
      'CONTACT ID;EMAIL;FIRSTNAME;LASTNAME;SMS;WHATSAPP;LANDLINE_NUMBER',
      '1;a@example.com;Anna;Lee;;6281211110001;',
      `2;;Ben;;${B};;62215550101`,
    ],
    people: [A, B],
    separator: ';',
  },
  {
    program: 'WATI',
    lines: ['Name,Phone,CountryCode,AllowBroadcast,AllowSMS', 'Anna,81211110001,62,TRUE,TRUE', 'Mei,123456789,60,TRUE,TRUE'],
    people: [A, '60123456789'],
  },
  {
    program: 'Respond.io',
    lines: ['First Name,Last Name,Phone Number,Email,Country,Language,Tags', `Anna,Lee,+${A},,ID,en,vip`],
    people: [A],
  },
  { program: 'ManyChat', lines: ['Id,First Name,Last Name,Phone,WhatsApp Phone,Status', `1,Anna,Lee,,+${A},Active`], people: [A] },
  {
    program: 'Kommo',
    lines: ['ID;Contact;Work phone;Work direct phone;Mobile phone;Home phone;Other phone', "1;Anna;'+62215550101;;'+6281211110001;;"],
    people: [A],
    separator: ';',
  },
  {
    program: 'Square',
    lines: [
      'Reference ID,First Name,Last Name,Email Address,Phone Number,Nickname,Company Name,Email Subscription Status,Creation Source',
      `,Anna,Lee,,'+${A},,,unknown,`,
    ],
    people: [A],
  },
  {
    program: 'Wix',
    lines: [
      'First Name,Last Name,Email 1,Phone 1,Phone 2,Address 1 - Country,Labels,Email subscriber status,SMS subscriber status',
      `Anna,Lee,,'+${A},,ID,Contacts;VIP,Never subscribed,Never subscribed`,
      'Ben,,,,0812 1111 0002,,,Unsubscribed,',
    ],
    people: [A, B],
  },
  { program: 'Loyverse', lines: ['Customer ID,Customer name,Email,Phone,Country,Note', `1,Anna,,${A},ID,`], people: [A] },
  {
    program: 'Moka POS',
    lines: ['Nama Pelanggan,Nomor HP,Email,Jenis Kelamin', 'Anna,0812-1111-0001,,P', 'Ben,81211110002,,L'],
    people: [A, B],
  },
  {
    program: 'Tokopedia',
    lines: [
      'Laporan Penjualan,,,',
      ',,,',
      'Nomor Invoice,Nama Penerima,No Telp Penerima,Nomor Telepon Penerima',
      'INV/1,Anna,,6281211110001',
    ],
    people: [A],
  },
  {
    program: 'Shopee',
    lines: [
      'No. Pesanan,Username (Pembeli),Nama Penerima,No. Telepon,Alamat Pengiriman',
      '2401,anna,Anna,6281211110001,Jl. Merdeka 1',
      '2402,ben,Ben,******02,Jl. Merdeka 2',
    ],
    people: [A, '3: invalid_number'],
  },
  {
    program: 'Facebook lead ads',
    lines: [
      'id\tcreated_time\tad_id\tform_id\tis_organic\tplatform\tfull_name\tphone_number\tcountry',
      `l:1\t2024-01-01\tag:1\tf:1\tfalse\tfb\tAnna\tp:+${A}\t`,
    ],
    people: [A],
    separator: '\t',
  },
  { program: 'TikTok leads', lines: ['lead_id,ad_id,Name,Phone number,Email', `1,2,Anna,+${A},`], people: [A] },
  {
    program: 'Google Forms',
    lines: [
      'Timestamp,Nama Lengkap,Nomor WhatsApp,Apakah Anda setuju?',
      '2024/01/01 10:00:00 AM GMT+7,Anna,0812 1111 0001 (WA),Ya',
      '2024/01/01 10:01:00 AM GMT+7,Ben,0812-1111-0002 / 0812-1111-0012,Ya',
    ],
    people: [A, B],
  },
  { program: 'Typeform', lines: ['#,First name,Phone number,Submit Date (UTC)', `abc,Anna,'+${A},2024-01-01`], people: [A] },
  {
    program: 'Calendly',
    lines: ['Event Type Name,Invitee Name,Full Name,Text Reminder Number,Phone number', `Call,Anna,Anna,,+62 812-1111-0001`],
    people: [A],
  },
  {
    program: 'Eventbrite',
    lines: ['Order ID,First Name,Surname,Email,Cell Phone,Home Phone,Billing Country', `1,Anna,Lee,,+62 812-1111-0001,,ID`],
    people: [A],
  },
  {
    program: 'Excel in scientific notation',
    lines: ['Nama;No HP', 'Anna;6,281211110001E+12', 'Ben;6,28E+12'],
    people: [A, '3: digits_lost'],
    separator: ';',
  },
  { program: 'Excel with thousands', lines: ['Nama,HP', 'Anna,"6,281,211,110,001"', 'Ben,"=""081211110002"""'], people: [A, B] },
  {
    program: 'spreadsheet of a school',
    lines: [
      'DAFTAR ORANG TUA,,,',
      'Tahun 2024,,,',
      'No,Nama Siswa,Nama Lengkap,No. HP',
      '1,Andi,Anna,0812-1111-0001',
      '2,Budi,Ben,0812-1111-0002 atau 021-5550101',
    ],
    people: [A, B],
  },
  {
    program: 'Spanish sheet',
    lines: ['Nombre;Apellidos;Móvil;Teléfono fijo;País', 'Ana;Gil;612 345 678;;España', 'Luz;Paz;55 1234 5678;;México'],
    people: ['34612345678', '525512345678'],
    names: ['Ana Gil', 'Luz Paz'],
    separator: ';',
  },
  {
    program: 'Portuguese sheet',
    lines: ['Nome;Sobrenome;Celular;Telefone;País', 'Ana;Lima;(11) 98765-4321;;Brasil'],
    people: ['5511987654321'],
    separator: ';',
  },
  {
    program: 'French sheet',
    lines: ['Nom;Prénom;Téléphone portable;Téléphone fixe;Pays', 'Roy;Anne;06.12.34.56.78;01 23 45 67 89;France'],
    people: ['33612345678'],
    names: ['Anne Roy'],
    separator: ';',
  },
  {
    program: 'German sheet',
    lines: ['Vorname;Nachname;Handynummer;Festnetz;Land', 'Anna;Muster;0151 23456789;030 123456;Deutschland'],
    people: ['4915123456789'],
    separator: ';',
  },
  { program: 'Arabic sheet', lines: ['الاسم,رقم الجوال,الدولة', 'ليلى,٠١٠٠١٢٣٤٥٦٧,مصر'], people: ['201001234567'] },
  { program: 'Hindi sheet', lines: ['नाम,मोबाइल नंबर,देश', 'आशा,98765 43210,भारत'], people: ['919876543210'] },
  {
    program: 'our own contacts',
    lines: ['phone,name,var1,var2,var3,var4,var5,group,tags,attr.city', `+${A},Anna,,,,,,Bali,"VIP; new",Bandung`],
    people: [A],
  },
  { program: 'our own consent', lines: ['phone,status,source,note,updated_at', `+${A},opted_out,keyword,,1700000000000`], people: [A] },
];
