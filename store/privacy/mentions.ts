/** All written forms of a person's number, and the person's hidden addresses. */
export type Needles = ReadonlySet<string>;

const FORGOTTEN = 'erased';
/** Digits, perhaps in groups. Does not match a group's id, which may begin with its creator's number. */
const WRITTEN = /(?<!\d)\d(?:[\s().-]{0,2}\d){6,19}(?!\d|-\d+@g\.us)/g;
const PLAIN = /(?<!\d)\d{7,20}(?!\d|-\d+@g\.us)/g;

const digitsOf = (text: string): string => text.replace(/\D/g, '');

export function mentions(value: unknown, needles: Needles): boolean {
  if (typeof value === 'string' || typeof value === 'number') return isNamedIn(String(value), needles);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => isNamedIn(name, needles) || mentions(inner, needles));
}

function isNamedIn(text: string, needles: Needles): boolean {
  return [PLAIN, WRITTEN].some((form) => [...text.matchAll(form)].some(([found]) => needles.has(digitsOf(found))));
}

/** Names that occur in the same object as one of the person's addresses, at any depth. */
export type Names = ReadonlySet<string>;

/** Shorter names would also match inside other words. */
const SHORTEST_NAME = 3;

export function namesIn(value: unknown, needles: Needles): Names {
  if (typeof value !== 'object' || value === null) return NO_NAMES;
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...namesIn(item, needles)]));
  const fields = Object.entries(value);
  const beside = namesBeside(fields, needles);
  const own = fields.flatMap(([field, inner]) => (beside.has(field) && typeof inner === 'string' ? [inner] : []));
  const isKept = (name: string): boolean => name.length >= SHORTEST_NAME && name !== FORGOTTEN;
  return new Set([...own.filter(isKept), ...fields.flatMap(([, inner]) => [...namesIn(inner, needles)])]);
}

export function callsThem(value: unknown, names: Names): boolean {
  if (typeof value === 'string') return withoutNames(value, names) !== value;
  if (typeof value !== 'object' || value === null || names.size === 0) return false;
  return Object.values(value).some((inner) => callsThem(inner, names));
}

/**
 * Replaces the person's number and names in texts. Removes keys and list items that name the
 * person.
 */
export function forget(value: unknown, needles: Needles, names: Names = NO_NAMES): unknown {
  if (typeof value === 'number') return isNamedIn(String(value), needles) ? null : value;
  if (typeof value === 'string') return withoutNames(without(value, needles), names);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.filter((item) => !isOnly(item, needles)).map((item) => forget(item, needles, names));
  const kept = Object.entries(value).filter(([name]) => !isNamedIn(name, needles));
  const beside = namesBeside(kept, needles);
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, beside.has(name) && typeof inner === 'string' ? FORGOTTEN : forget(inner, needles, names)]),
  );
}

/** Address fields in a person's own record, and those in a record that mentions a person. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set(['phone', 'lid', 'jid', 'id']);
const OWN_LISTS: ReadonlySet<string> = new Set(['phones', 'numbers', 'lids']);
const ADDRESSES: ReadonlySet<string> = new Set(['sender', 'sender_lid', 'chat_id', 'from']);
const NAMES_TOLD: readonly string[] = ['sender_name', 'sender_username', 'chat_name', 'author_name', 'push_name', 'wa_name'];
const TOLD: ReadonlySet<string> = new Set(NAMES_TOLD);
const OWN_NAMES: ReadonlySet<string> = new Set([...NAMES_TOLD, 'name', 'username', 'about', 'first_name', 'last_name']);
const NO_NAMES: ReadonlySet<string> = new Set();

/** True if an address field, or every entry of `targets`, is just an address of the person. */
export function isAbout(record: unknown, needles: Needles): boolean {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return false;
  return Object.entries(record).some(
    ([name, inner]) =>
      ((OWN_ADDRESSES.has(name) || ADDRESSES.has(name)) && isOnly(inner, needles)) ||
      (name === 'targets' && Array.isArray(inner) && inner.length > 0 && inner.every((item) => isOnly(item, needles))),
  );
}

function namesBeside(fields: readonly (readonly [string, unknown])[], needles: Needles): ReadonlySet<string> {
  const isTheirs = (addresses: ReadonlySet<string>): boolean =>
    fields.some(([name, inner]) => addresses.has(name) && isOnly(inner, needles));
  const isTheirCard = fields.some(
    ([name, inner]) => OWN_LISTS.has(name) && Array.isArray(inner) && inner.some((one) => isOnly(one, needles)),
  );
  if (isTheirCard || isTheirs(OWN_ADDRESSES)) return OWN_NAMES;
  return isTheirs(ADDRESSES) ? TOLD : NO_NAMES;
}

const WITH_MEANING = /[.*+?^${}()|[\]\\]/g;

const withoutNames = (text: string, names: Names): string =>
  [...names].reduce((left, name) => {
    if (!left.includes(name)) return left;
    const word = new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(WITH_MEANING, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu');
    return left.replace(word, FORGOTTEN);
  }, text);

const without = (text: string, needles: Needles): string =>
  [PLAIN, WRITTEN].reduce((left, form) => left.replace(form, (found) => (needles.has(digitsOf(found)) ? FORGOTTEN : found)), text);

const isOnly = (item: unknown, needles: Needles): boolean =>
  typeof item === 'string' && isNamedIn(item, needles) && /^\+?[\d\s().-]+(@[\w.]+)?$/.test(item);
