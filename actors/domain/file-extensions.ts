/**
 * File extensions by type. Phones and the official platform use the extension to choose the program
 * that opens a file. Pure.
 */

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN = 'application/vnd.oasis.opendocument';

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
  ['video/mp4', 'mp4'],
  ['video/3gpp', '3gp'],
  ['audio/aac', 'aac'],
  ['audio/amr', 'amr'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg', 'ogg'],
  ['audio/opus', 'ogg'],
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
  ['application/json', 'json'],
  ['application/epub+zip', 'epub'],
  ['application/msword', 'doc'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  [`${OFFICE}.wordprocessingml.document`, 'docx'],
  [`${OFFICE}.spreadsheetml.sheet`, 'xlsx'],
  [`${OFFICE}.presentationml.presentation`, 'pptx'],
  [`${OPEN}.text`, 'odt'],
  [`${OPEN}.spreadsheet`, 'ods'],
  [`${OPEN}.presentation`, 'odp'],
  ['text/plain', 'txt'],
  ['text/csv', 'csv'],
  ['text/vcard', 'vcf'],
  ['text/calendar', 'ics'],
]);

export const extensionOf = (contentType: string): string | undefined => EXTENSIONS.get(contentType.split(';', 1)[0]?.trim() ?? '');

/** Matches a dot followed by a word, so `v1.2` has no extension. */
const HAS_ONE = /\.[a-z][a-z0-9]{0,7}$/i;

export function documentName(name: string | null, contentType: string): string {
  const [given, extension] = [name ?? 'file', extensionOf(contentType)];
  return extension === undefined || HAS_ONE.test(given) ? given : `${given}.${extension}`;
}
