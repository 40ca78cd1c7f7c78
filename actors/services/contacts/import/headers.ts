import { at } from '../../../../runtime/invariant.ts';
import { entriesOf } from '../../../../runtime/keys-of.ts';
import { normalized, safeText } from '../../../../runtime/safe-text.ts';
import type { ImportField } from '../../../../store/jobs/jobs.ts';
import { ABROAD } from './headers-abroad.ts';

/**
 * Header names of contact files, separated by `|`: as people write them in eight languages, and as
 * programs export them (Google Contacts, Outlook, Apple, HubSpot, Mailchimp, Shopify, WooCommerce
 * and others). `headers-abroad.ts` adds further languages. A column must match a whole name, apart
 * from punctuation. Partial names are not guessed.
 */

const HEADERS: Readonly<Record<Exclude<ImportField, 'line'>, string>> = {
  phone:
    'phone|phones|phone number|phone numbers|phone no|phone num|ph|ph no|phonenumber|number|tel|tel no|telephone|telephone number|telephone no|contact number|contact no|contact phone|' +
    'primary phone|main phone|home phone|home phone 2|business phone|business phone 2|work phone|work phone number|home phone number|other phone|other phone number|' +
    'car phone|radio phone|company main phone|company phone|phone home|phone work|phone other|phone main|work direct phone|direct phone|default phone|' +
    'billing phone|shipping phone|phone billing|phone shipping|default address phone|address phone|customer phone|client phone|buyer phone|recipient phone|receiver phone|' +
    'person phone|lead phone|guest phone|parent phone|sms|sms number|sms phone|sms phone number|landline|landline number|msisdn|' +
    'phone 1|phone 2|phone 3|phone1|phone2|phone3|phone number 1|phone number 2|phone number 3|' +
    'nomor|nomer|nomor telepon|nomor telpon|nomor tlp|no telepon|no telpon|no telp|no tlp|telp|tlp|telpon|telepon|telepon rumah|telepon kantor|nomor kontak|no kontak|' +
    'nomor telepon pembeli|no telepon pembeli|nomor telepon penerima|no telepon penerima|nomor pelanggan|kontak telepon|nomor telepon 1|nomor telepon 2|' +
    'teléfono|telefono|teléfonos|número|numero|número de teléfono|numero de telefono|número telefónico|tel fijo|teléfono fijo|teléfono 1|teléfono 2|teléfono de facturación|' +
    'telefone|telefones|número de telefone|numero de telefone|fone|telefone 1|telefone 2|telefone fixo|telefone residencial|telefone comercial|telefone de contato|' +
    'téléphone|telephone fixe|téléphone fixe|numéro|numéro de téléphone|numero de telephone|n de téléphone|tél|téléphone 1|téléphone 2|téléphone domicile|téléphone bureau|' +
    'telefon|telefonnummer|tel nr|telefon nr|rufnummer|telefon privat|telefon geschäftlich|telefon 1|telefon 2|festnetz|festnetznummer|' +
    'الهاتف|هاتف|رقم الهاتف|رقم هاتف|تلفون|رقم التلفون|تليفون|رقم التليفون|رقم الاتصال|' +
    'फोन|फ़ोन|फोन नंबर|फ़ोन नंबर|फोन नम्बर|दूरभाष|दूरभाष संख्या|नंबर|संपर्क नंबर',
  lid: 'lid|whatsapp lid',
  username: 'username|whatsapp username|nama pengguna whatsapp',
  country:
    'country|country code|countrycode|country region|country region code|country dial code|dial code|dialing code|calling code|phone country code|phone country|iso country|' +
    'home country|home country region|business country|business country region|other country|other country region|billing country|shipping country|' +
    'default address country|default address country code|address country|address 1 country|address 2 country|home address country|mailing country|work country|nation|' +
    'negara|kode negara|nama negara|país|pais|código de país|codigo de pais|código do país|codigo do pais|pays|code pays|indicatif|land|ländercode|landescode|vorwahl land|' +
    'الدولة|البلد|بلد|رمز الدولة|كود الدولة|देश|देश कोड',
  name:
    'name|full name|fullname|display name|displayname|customer|customer name|cust|cust name|contact|contact name|client|client name|buyer name|recipient name|receiver name|person name|lead name|' +
    'guest name|subscriber name|file as|fn|formatted name|billing name|shipping name|billing full name|' +
    'nama|nama lengkap|nama pelanggan|nama kontak|nama konsumen|pelanggan|nama pembeli|nama penerima|nama member|nama customer|' +
    'nombre completo|nombre y apellido|nombre y apellidos|nombre del cliente|nombre del contacto|cliente|nombre para mostrar|' +
    'nome completo|nome do cliente|nome do contato|nome de exibição|' +
    'nom complet|nom et prénom|prénom et nom|nom du client|nom du contact|nom affiché|client nom|' +
    'vollständiger name|kunde|kundenname|vor und nachname|anzeigename|ansprechpartner|kontaktname|' +
    'الاسم|اسم|الاسم الكامل|اسم العميل|الاسم بالكامل|اسم الزبون|नाम|पूरा नाम|ग्राहक का नाम|ग्राहक',
  first_name:
    'first name|firstname|given name|fname|first|billing first name|shipping first name|customer first name|nama depan|' +
    'nombre|nombres|primer nombre|nome|primeiro nome|prénom|prenom|vorname|الاسم الأول|الاسم الاول|पहला नाम|प्रथम नाम',
  last_name:
    'last name|lastname|surname|family name|lname|last|billing last name|shipping last name|customer last name|nama belakang|nama keluarga|' +
    'apellido|apellidos|apellido paterno|sobrenome|último nome|apelido|nom|nom de famille|nachname|familienname|' +
    'اسم العائلة|الاسم الأخير|الاسم الاخير|اللقب|उपनाम|अंतिम नाम|कुलनाम',
  var1: 'var1|var 1|variable 1|variabel 1',
  var2: 'var2|var 2|variable 2|variabel 2',
  var3: 'var3|var 3|variable 3|variabel 3',
  var4: 'var4|var 4|variable 4|variabel 4',
  var5: 'var5|var 5|variable 5|variabel 5',
  group:
    'group|group name|contact group|grup|nama grup|grup kontak|kelompok|grupo|nombre del grupo|nome do grupo|groupe|nom du groupe|gruppe|gruppenname|المجموعة|مجموعة|समूह',
  tags:
    'tags|tag|labels|label|group membership|categories|category|customer tags|contact tags|tanda|label kontak|kategori|etiquetas|etiqueta|categoría|categorías|marcadores|marcador|' +
    'categoria|categorias|étiquettes|étiquette|libellés|catégorie|catégories|schlagwörter|schlagworte|etikett|etiketten|kategorie|kategorien|وسوم|الوسوم|علامات|التصنيف|टैग|लेबल|श्रेणी',
  opt_in:
    'opt in|optin|opted in|consent|subscribed|whatsapp opt in|wa opt in|whatsapp consent|whatsapp subscribed|agreed|permission|' +
    'setuju|persetujuan|izin|bersedia|berlangganan|consentimiento|suscrito|autorización|consentimento|inscrito|autorização|consentement|abonné|inscrit|' +
    'einwilligung|zustimmung|abonniert|الموافقة|موافقة|موافق|مشترك|सहमति|सदस्यता',
  opt_out:
    'opt out|optout|opted out|opted out at|unsubscribed|unsubscribe|unsubscribed at|unsub time|unsubscribe time|unsubscribe date|do not contact|dont contact|do not call|dnc|' +
    'do not message|do not text|do not disturb|dnd|dnd all|is unsubscribed|has unsubscribed|sms unsubscribed|whatsapp unsubscribed|contact unsubscribed|marketing unsubscribed|' +
    'sms blacklisted|whatsapp blacklisted|email blacklisted|has opted out of email|hasoptedoutofemail|hasoptedoutofsms|opted out of sms|opted out of whatsapp|do not sms|do not whatsapp|no marketing|marketing opt out|whatsapp opt out|sms opt out|unsubscribed from all email|opted out of email|email opt out|blacklisted|' +
    'berhenti berlangganan|tidak mau dihubungi|jangan hubungi|menolak|baja|dado de baja|no contactar|descadastrado|não contatar|désabonné|désinscrit|' +
    'ne pas contacter|abgemeldet|nicht kontaktieren|إلغاء الاشتراك|عدم الاتصال|संपर्क न करें',
  consent:
    'status|consent status|subscription status|opt in status|marketing status|subscriber status|email marketing status|sms marketing status|newsletter|newsletter status|status langganan|status berlangganan|estado de suscripción|estado de la suscripción|status da inscrição|' +
    'status da assinatura|statut dabonnement|statut de labonnement|abonnementstatus|abostatus|حالة الاشتراك|सदस्यता स्थिति|accepts marketing|accepts email marketing|' +
    'accepts sms marketing|email subscriber status|sms subscriber status|email marketing consent|sms marketing consent|status persetujuan|الحالة|स्थिति',
};

const MOBILE =
  'mobile|mobiles|mob|mob no|mobile number|mobile phone|mobile phone number|mobile phone 2|mobile no|cell|cell number|cell phone|cellphone|cellular|phone mobile|person phone mobile|phone cell|mobile phone 1|mobile 1|mobile 2|iphone|' +
  'handphone|nomor handphone|no handphone|hp|nomor hp|nomer hp|no hp|hp 1|hp 2|ponsel|nomor ponsel|no ponsel|telepon seluler|nomor seluler|' +
  'móvil|movil|celular|teléfono móvil|teléfono celular|número de móvil|número de celular|cel|telefone celular|telemóvel|número de celular|telefone móvel|' +
  'portable|mobile téléphone|téléphone portable|numéro de portable|téléphone mobile|tél portable|handy|handynummer|mobil|mobilnummer|mobiltelefon|mobiltelefonnummer|' +
  'الجوال|جوال|رقم الجوال|الموبايل|موبايل|رقم الموبايل|المحمول|رقم المحمول|मोबाइल|मोबाइल नंबर|मोबाइल नम्बर';
const WHATSAPP =
  'whatsapp|whatsapp number|whatsapp no|whatsapp phone number|whatsapp phone|whatsapp id|wa|wa number|wa no|wa id|wa link|link wa|link whatsapp|nomor wa|nomer wa|no wa|nomor whatsapp|no whatsapp|hp wa|no hp wa|' +
  'número de whatsapp|numero de whatsapp|numéro whatsapp|whatsapp nummer|رقم الواتساب|رقم الواتس|واتساب|واتس اب|व्हाट्सएप|व्हाट्सएप नंबर|व्हाट्सऐप नंबर';

const named = <T>(names: string, value: T): readonly (readonly [string, T])[] =>
  names.split('|').map((name) => [plain(name), value] as const);

const plain = (header: string): string =>
  normalized(safeText(header), 'NFKC')
    .replace(/[\p{Cf}\0]/gu, '')
    .toLowerCase()
    // Remove the combining dot that a lower-case Turkish İ leaves behind.
    .replace(/\u0307/g, '')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

const FIELDS: ReadonlyMap<string, ImportField> = new Map([
  ...entriesOf(HEADERS).flatMap(([field, names]) => named(names, field)),
  ...entriesOf(ABROAD).flatMap(([field, names]) => named(names, field === 'mobile' || field === 'whatsapp' ? ('phone' as const) : field)),
  ...named(MOBILE, 'phone' as const),
  ...named(WHATSAPP, 'phone' as const),
]);
const RANKS: ReadonlyMap<string, number> = new Map([
  ...[WHATSAPP, ABROAD.whatsapp].flatMap((names) => named(names, 1)),
  ...[MOBILE, ABROAD.mobile].flatMap((names) => named(names, 2)),
]);
const OTHER_RANK = 3;

/** Headers of numbered columns, such as "Phone 2 - Value" and "Address 1 - Country". */
const NUMBERED: readonly (readonly [RegExp, ImportField])[] = [
  [/^phone \d{1,2}(?: value)?$/, 'phone'],
  [/^(?:home|work|mobile|other|business) phone \d{1,2}$/, 'phone'],
  [/^person phone (?:work|mobile|home|other)$/, 'phone'],
  [/^address \d{1,2} country$/, 'country'],
];

export const fieldNamed = (header: string): ImportField | undefined => fieldOf(plain(header)) ?? fieldOf(simplified(header));

const fieldOf = (name: string): ImportField | undefined => FIELDS.get(name) ?? NUMBERED.find(([pattern]) => pattern.test(name))?.[1];

function simplified(header: string): string {
  if (header.length > LONGEST_HEADER) return '';
  const name = plain(header.replace(HINT, ' ')).replace(/ \d{1,2}$/, '');
  if (FIELDS.get(name) === 'phone') return name;
  const choices = header.split(EITHER).map(plain);
  if (choices.length > 1 && choices.every((one) => FIELDS.get(one) === 'phone')) return at(choices, 0);
  const said = name.replace(WHEN, '');
  return FIELDS.get(said) === 'opt_out' ? said : '';
}

/** Longer headers are not searched for hints, because the search takes quadratic time. */
const LONGEST_HEADER = 200;
/** Brackets that only describe the format, such as "(with country code)" and "(+62…)". */
const HINT =
  /[([](?:[^)\]]*(?:country code|kode negara|international|required|wajib|optional|opsional|format|e\.?g\.?|contoh|example)[^)\]]*|[+\dxX.… -]+)[)\]]/gi;
/** Separates alternatives: "WA/HP", "phone or mobile". */
const EITHER = /\/| or | atau /i;
/** Matches headers such as "Opted out at", for which some programs record the time of an opt-out. */
const WHEN = /^(?:date|time|tanggal|tgl) | (?:at|on|date|time|timestamp)$/;

export const phoneRank = (header: string): number =>
  header.trim() === 'phone' ? 0 : (RANKS.get(plain(header)) ?? RANKS.get(simplified(header)) ?? OTHER_RANK);
