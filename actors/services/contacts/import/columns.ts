import { entriesOf } from '../../../../runtime/keys-of.ts';
import { folded } from '../../../../store/contacts/contacts.ts';
import type { ImportColumn as Column, ImportField as Field } from '../../../../store/jobs/jobs.ts';
import { ATTRIBUTE_KEY } from '../../../domain/text-tokens.ts';

/** Headers as people write them, in English and Indonesian, without punctuation. */
const HEADERS: Readonly<Record<Field, string>> = {
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
  opt_in: 'opt in|optin|opted in|consent|subscribed|setuju|persetujuan|izin|bersedia|berlangganan',
};

const FIELDS: ReadonlyMap<string, Field> = new Map(
  entriesOf(HEADERS).flatMap(([field, names]) => names.split('|').map((name) => [name, field] as const)),
);

const ATTRIBUTE = /^(?:attr|attribute|atribut)[.\s:_-]+(.+)$/i;

/** The columns of a header line; `attributes` gives the key of one that the tenant has under this name. The first of two that say the same counts. */
export function columnsOf(header: readonly string[], attributes: (name: string) => string | undefined): Column[] {
  const seen = new Set<string>();
  return header.map((cell) => {
    const column = columnOf(cell, attributes);
    if (column === null || seen.has(folded(column))) return null;
    seen.add(folded(column));
    return column;
  });
}

function columnOf(cell: string, attributes: (name: string) => string | undefined): Column {
  const plain = cell.replace(/^\uFEFF/, '').trim();
  const written = folded(plain);
  const field = FIELDS.get(written.replace(/[\s_.:*()-]+/g, ' ').trim());
  if (field) return field;
  const name = ATTRIBUTE.exec(plain)?.[1];
  const key = name === undefined ? attributes(written) : (attributes(folded(name)) ?? name.replace(/\s+/g, '_'));
  return key !== undefined && ATTRIBUTE_KEY.test(key) ? `attr.${key}` : null;
}
