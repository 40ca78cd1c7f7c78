const BEYOND = 500_000;

const list = (item: string, count: number): string => `[${Array.from({ length: count }, () => item).join(',')}]`;
const fields = (count: number, name: (nth: number) => string): string =>
  `{${Array.from({ length: count }, (_, nth) => `${JSON.stringify(name(nth))}:1`).join(',')}}`;

export const HOSTILE_JSON: Readonly<Record<string, string>> = {
  '1,990 unknown fields': fields(1_990, (nth) => `session_identifier_of_the_message_to_send_in_reply_to_field_${nth}`),
  '1,990 short unknown fields': fields(1_990, (nth) => `f${nth}`),
  '60,000 fields': fields(60_000, (nth) => `field_${nth}`),
  'one name of half a megabyte': fields(1, () => 'x'.repeat(BEYOND)),
  'names of combining marks': fields(1_000, (nth) => `${nth}${'\u0315\u0300'.repeat(100)}`),
  'lists in lists': '['.repeat(BEYOND) + ']'.repeat(BEYOND),
  'objects in objects': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  'a wide list': list('1', 250_000),
  'a list of objects': `{"items":${list('{"a":1}', 100_000)}}`,
  'a long number': `{"a":${'9'.repeat(BEYOND)}}`,
  'a long fraction': `{"a":0.${'9'.repeat(BEYOND)}}`,
  'a long text of escapes': `{"a":"${'\\u0315\\u0300'.repeat(80_000)}"}`,
  spaces: `{${' '.repeat(BEYOND)}}`,
  'one name again and again': `{${Array.from({ length: 60_000 }, () => '"a":1').join(',')}}`,
  'no JSON': '{"a":'.repeat(100_000),
};
