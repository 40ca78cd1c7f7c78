import { entriesOf } from '../../../../runtime/keys-of.ts';
import { normalized, safeText } from '../../../../runtime/safe-text.ts';
import type { ImportField } from '../../../../store/jobs/jobs.ts';

/** Headers as people write them, in English and Indonesian, without punctuation. */
const HEADERS: Readonly<Record<ImportField, string>> = {
  phone:
    'phone|phone number|phone no|number|mobile|mobile number|mobile phone|mobile no|cell|cell phone|cellphone|tel|telephone|telephone number|contact number|' +
    'whatsapp|whatsapp number|whatsapp no|wa|wa number|msisdn|phone 1 value|primary phone|nomor|nomor hp|no hp|hp|nomor telepon|nomor telpon|no telepon|no telp|' +
    'telp|telepon|nomor wa|no wa|nomor whatsapp|no whatsapp|handphone|nomor handphone|no handphone|ponsel|nomor ponsel|no ponsel',
  name: 'name|full name|fullname|display name|customer|customer name|contact|contact name|nama|nama lengkap|nama pelanggan|nama kontak|nama konsumen|pelanggan',
  first_name: 'first name|firstname|given name|nama depan',
  last_name: 'last name|lastname|surname|family name|nama belakang',
  var1: 'var1|var 1|variable 1|variabel 1',
  var2: 'var2|var 2|variable 2|variabel 2',
  var3: 'var3|var 3|variable 3|variabel 3',
  var4: 'var4|var 4|variable 4|variabel 4',
  var5: 'var5|var 5|variable 5|variabel 5',
  group: 'group|group name|contact group|grup|nama grup|grup kontak|kelompok',
  tags: 'tags|tag|labels|label|tanda',
  opt_in:
    'opt in|optin|opted in|consent|subscribed|setuju|persetujuan|izin|bersedia|berlangganan|whatsapp opt in|wa opt in|whatsapp consent',
  opt_out:
    'opt out|optout|opted out|opted out at|unsubscribed|unsubscribe|unsubscribed at|unsub time|unsubscribe time|do not contact|dont contact|do not call|dnc|' +
    'do not message|do not text|no marketing|marketing opt out|whatsapp opt out|unsubscribed from all email|opted out of email|blacklisted|' +
    'berhenti berlangganan|tidak mau dihubungi|jangan hubungi|menolak|baja|dado de baja|no contactar|descadastrado|não contatar|désabonné|désinscrit|' +
    'ne pas contacter|abgemeldet|nicht kontaktieren|إلغاء الاشتراك|عدم الاتصال|संपर्क न करें',
  consent: 'status|consent status|subscription status|opt in status|marketing status|subscriber status|status persetujuan',
};

const FIELDS: ReadonlyMap<string, ImportField> = new Map(
  entriesOf(HEADERS).flatMap(([field, names]) => names.split('|').map((name) => [name, field] as const)),
);

/** What a column under this header is; undefined: none of the fields. */
export const fieldNamed = (header: string): ImportField | undefined =>
  FIELDS.get(
    normalized(safeText(header), 'NFKC')
      .toLowerCase()
      .replace(/[\s_.:*()-]+/g, ' ')
      .trim(),
  );
