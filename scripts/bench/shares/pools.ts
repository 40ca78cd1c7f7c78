import type { Customer, CustomerAnswer, Scene } from './customer.ts';

export interface Pool {
  readonly name: string;
  flood(customer: Customer, scene: Scene, nth: number): Promise<CustomerAnswer>;
  ask(customer: Customer, scene: Scene, nth: number): Promise<CustomerAnswer>;
  readonly served: number;
  readonly lasts?: true;
}

const SILENT_MS = 300;
const TO = '6281211110001';
const FEW = 10;
const MAX_TOGETHER = 100;
const FILE = Buffer.alloc(100_000, 'a');

const byUrl = (ms: number | 'never') => (customer: Customer, scene: Scene) =>
  customer.call('POST', `${customer.device}/messages`, { chat_id: TO, type: 'document', url: `${scene.files}/${ms}`, filename: 'a.txt' });

const text = (customer: Customer) => customer.call('POST', `${customer.device}/messages`, { chat_id: TO, type: 'text', body: 'hi' });

const preview = (customer: Customer) => {
  const all = [{ field: 'name', op: 'contains', value: 'nobody is called so' }];
  return customer.call('POST', '/v1/segments/preview', { rules: { all } });
};

/** Keeps the thread that checks patterns busy. The gateway does not store the pattern. */
const pattern = (customer: Customer, _scene: Scene, nth: number) =>
  customer.call('POST', `${customer.device}/auto-reply`, {
    ...{ name: 'rule', trigger_type: 'regex', trigger_text: `(a+)+b${nth}`, reply_type: 'text', reply_body: 'x' },
  });

async function draft(customer: Customer, count: number): Promise<CustomerAnswer> {
  const recipients = Array.from({ length: count }, (_, nth) => ({ phone: `+62812${String(10_000_000 + nth)}` }));
  const session_id = customer.device.split('/').at(-1);
  const made = await customer.call('POST', '/v1/blasts', { session_id, name: 'Sale', message_type: 'text', body: 'x', recipients });
  if (made.status === 201) await customer.call('DELETE', `/v1/blasts/${made.body.id}`);
  return made;
}

const clearing = async (customer: Customer, { many }: Scene) => {
  const messages = Array.from({ length: Math.min(many, MAX_TOGETHER) }, () => ({ chat_id: TO, type: 'text', body: 'hi' }));
  await customer.call('POST', `${customer.device}/messages/bulk`, { messages });
  return customer.call('DELETE', `${customer.device}/queue`);
};

const upload = (customer: Customer) => customer.call('POST', '/v1/media/upload?filename=a.txt', FILE, 'text/plain');

function importing(customer: Customer, rows: number, nth: number): Promise<CustomerAnswer> {
  const lines = Array.from({ length: rows }, (_, row) => ({ phone: `+62813${String(nth % 90).padStart(2, '0')}${String(100_000 + row)}` }));
  return customer.call('POST', '/v1/contacts/import', { rows: lines });
}

const exporting = (customer: Customer) => customer.call('GET', '/v1/contacts/export');

const searching = (customer: Customer) => customer.call('GET', `${customer.device}/messages?q=nothing`);

const listing = (count: number) => (customer: Customer) => customer.call('GET', `/v1/contacts?limit=${count}`);

const agreeing = (customer: Customer, count: number, nth: number): Promise<CustomerAnswer> => {
  const phones = Array.from({ length: count }, (_, each) => `+62815${String(nth % 90).padStart(2, '0')}${String(100_000 + each)}`);
  return customer.call('POST', '/v1/consent/bulk', { phones, status: 'opted_in' });
};

export const POOLS: readonly Pool[] = [
  { name: 'lists', flood: listing(200), ask: listing(FEW), served: 200 },
  { name: 'files by url', flood: byUrl(SILENT_MS), ask: byUrl(0), served: 202 },
  { name: 'patterns', flood: pattern, ask: pattern, served: 400 },
  { name: 'segment previews', flood: preview, ask: preview, served: 200 },
  { name: 'drafts', flood: (customer, { many }) => draft(customer, many), ask: (customer) => draft(customer, FEW), served: 201 },
  { name: 'clearing a queue', flood: clearing, ask: text, served: 202 },
  { name: 'uploads', flood: upload, ask: upload, served: 201 },
  { name: 'exports', flood: exporting, ask: exporting, served: 200 },
  { name: 'search', flood: searching, ask: searching, served: 200 },
  { name: 'sends beside lists', flood: listing(200), ask: text, served: 202 },
  { name: 'sends beside silent hosts', flood: byUrl('never'), ask: text, served: 202, lasts: true },
  { name: 'files beside silent hosts', flood: byUrl('never'), ask: byUrl(0), served: 202, lasts: true },
  {
    name: 'consent',
    flood: (customer, { many }, nth) => agreeing(customer, many, nth),
    ask: (customer, _, nth) => agreeing(customer, 1, nth),
    served: 200,
  },
  // This pool runs last, because with half a million contacts an export would take minutes.
  {
    name: 'imports',
    flood: (customer, { many }, nth) => importing(customer, many, nth),
    ask: (customer, _, nth) => importing(customer, FEW, nth),
    served: 202,
  },
];
