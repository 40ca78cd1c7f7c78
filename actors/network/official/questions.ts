import { Refusal } from '../../../runtime/errors.ts';
import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import type { AccountProfile } from '../account.ts';
import type { BusinessChanges, BusinessProfile } from '../business.ts';
import { phoneOf, userJid } from '../jid.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { Person } from '../person.ts';
import { ABILITIES, type AskNetwork, answerFrom, type Questions } from '../questions.ts';
import type { Call, GraphClient } from './graph-client.ts';
import type { OfficialLogin } from './login.ts';

/**
 * Answers questions about a number: its business profile, its account and the people it blocked.
 * The platform offers none of the other features. Calls are made once, and never repeated.
 */

interface Asking {
  readonly graph: GraphClient;
  readonly login: OfficialLogin;
}

type Answers = { readonly [N in keyof Questions]?: (asking: Asking, input: Questions[N]['input']) => Promise<Questions[N]['answer']> };
type Body = Readonly<Record<string, unknown>>;

const NOT_OFFERED = { en: 'the official platform does not offer this', id: 'platform resmi tidak menyediakan ini' };
const AT_VENDOR = { en: "change this in the vendor's dashboard", id: 'ubah ini di dasbor vendor' };
const WROTE_TODAY = {
  en: 'the platform blocks only people who wrote to you in the last 24 hours',
  id: 'platform hanya memblokir orang yang menulis kepada Anda dalam 24 jam terakhir',
};
const OFFERED: ReadonlySet<string> = new Set(['account', 'business', 'blocklist']);
const FIELDS = 'about,address,description,email,websites,vertical';
const LIST_PAGE = 1_000;
/** The platform blocks at most 64,000 people. */
const MAX_PAGES = 64;

const ANSWERS: Answers = {
  capabilities: async () => Object.fromEntries(ABILITIES.map((name) => [name, OFFERED.has(name) || { reason: NOT_OFFERED }])),
  'account.get': account,
  async 'account.set'(asking, { name, about }) {
    if (name !== undefined) throw new Refusal('VALIDATION_FAILED', { field: 'name', reason: AT_VENDOR });
    if (about !== undefined) await changeProfile(asking, { about });
    return account(asking);
  },
  'business.get': async (asking) => businessIn(await profile(asking)),
  'business.set': setBusiness,
  'blocklist.list': blocklist,
  async 'blocklist.set'(asking, { phone, blocked }) {
    const user = phoneOf(phone.includes('@') ? phone : userJid(phone));
    if (user === null) throw networkRefusal(404);
    const json = { messaging_product: 'whatsapp', block_users: [{ user: `+${user}` }] };
    const body = await called(asking, { method: blocked ? 'POST' : 'DELETE', path: '/block_users', json });
    const failed = memberOf(memberOf(body, 'block_users'), 'failed_users');
    if (Array.isArray(failed) && failed.length > 0) throw networkRefusal(409, blocked ? WROTE_TODAY : undefined);
    return blocklist(asking);
  },
};

export const createAsking =
  (graph: GraphClient, login: OfficialLogin): AskNetwork =>
  async (name, input) =>
    answerFrom(ANSWERS, { graph, login }, name, input);

async function called({ graph, login }: Asking, { path, ...call }: Call): Promise<unknown> {
  const outcome = await graph.call({ ...call, path: `${login.phoneNumberId}${path}` });
  if (outcome.kind === 'ok') return outcome.body;
  if (outcome.kind === 'unwritten') throw new Refusal('NOT_CONNECTED');
  if (outcome.kind === 'unknown') throw new Refusal('DEVICE_TIMEOUT');
  const { code, details } = outcome;
  if (code === 4 || code === 80_007 || code === 130_429) throw networkRefusal(429);
  throw networkRefusal(code === 100 ? 400 : code, code === 100 && details !== '' ? { en: details, id: details } : undefined);
}

async function profile(asking: Asking): Promise<Body> {
  const data = memberOf(await called(asking, { method: 'GET', path: `/whatsapp_business_profile?fields=${FIELDS}` }), 'data');
  const [first] = Array.isArray(data) ? data : [];
  return isRecord(first) ? first : {};
}

const changeProfile = (asking: Asking, changes: Body): Promise<unknown> =>
  called(asking, { method: 'POST', path: '/whatsapp_business_profile', json: { messaging_product: 'whatsapp', ...changes } });

async function account(asking: Asking): Promise<AccountProfile> {
  const [{ about }, number] = [await profile(asking), await called(asking, { method: 'GET', path: '?fields=verified_name' })];
  return { name: textOr(memberOf(number, 'verified_name')), about: textOr(about) };
}

const textOr = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The platform has no opening hours. Its only category is a fixed word, which cannot be mapped to the network's ids. */
function businessIn({ address, description, email, websites, vertical }: Body): BusinessProfile {
  const industry = textOr(vertical);
  return {
    ...{ address: textOr(address), description: textOr(description), email: textOr(email), hours: null, categories: [] },
    websites: Array.isArray(websites) ? websites.map(String) : [],
    category_names: industry === null || industry === 'UNDEFINED' ? [] : [industry],
  };
}

async function setBusiness(asking: Asking, { hours, categories = [], ...changes }: BusinessChanges): Promise<BusinessProfile> {
  if (hours) throw new Refusal('VALIDATION_FAILED', { field: 'hours', reason: NOT_OFFERED });
  if (categories.length > 0) throw new Refusal('VALIDATION_FAILED', { field: 'categories', reason: AT_VENDOR });
  const given = Object.entries(changes).map(([name, value]) => [name, value ?? '']);
  if (given.length > 0) await changeProfile(asking, Object.fromEntries(given));
  return businessIn(await profile(asking));
}

async function blocklist(asking: Asking): Promise<readonly Person[]> {
  const people: Person[] = [];
  let after = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({ limit: String(LIST_PAGE), ...(after !== '' && { after }) });
    const body = await called(asking, { method: 'GET', path: `/block_users?${query}` });
    for (const phone of blockedIn(body)) people.push({ phone, lid: null, username: null, name: null });
    const paging = memberOf(body, 'paging');
    after = memberOf(paging, 'next') === undefined ? '' : String(memberOf(memberOf(paging, 'cursors'), 'after') ?? '');
    if (after === '') break;
  }
  return people;
}

/** The entries are in `data` or, in groups, in its `block_users`. */
function blockedIn(body: unknown): readonly string[] {
  const data = memberOf(body, 'data');
  const entries = (Array.isArray(data) ? data : []).flatMap((entry) => memberOf(entry, 'block_users') ?? entry);
  return entries.map((entry) => String(memberOf(entry, 'wa_id') ?? '').replace(/\D/g, '')).filter((phone) => phone !== '');
}
