import { isRecord, memberOf } from '../../../../runtime/shapes.ts';
import { type GraphAnswer, type GraphNumber, type GraphRequest, graphError } from './graph-state.ts';

/** A number's business profile, and the people that it blocked. */

const WINDOW_MS = 86_400_000;
const MAX_BLOCKED = 64_000;
const LIMITS: Readonly<Record<string, number>> = { about: 139, address: 256, description: 512, email: 128 };

export const profileOf = ({ profile }: GraphNumber): GraphAnswer => ({
  status: 200,
  body: { data: [{ messaging_product: 'whatsapp', ...profile }] },
});

export function changeProfile(number: GraphNumber, { body }: GraphRequest): GraphAnswer {
  const { messaging_product, ...changes } = body;
  if (messaging_product !== 'whatsapp') return graphError(100, 'messaging_product is required');
  for (const [name, most] of Object.entries(LIMITS)) {
    const text = changes[name];
    if (text !== undefined && (typeof text !== 'string' || text.length > most)) return graphError(100, `${name} is too long`);
  }
  if (changes['about'] === '') return graphError(100, 'about is empty');
  const { websites = [] } = changes;
  if (!Array.isArray(websites) || websites.length > 2) return graphError(100, 'at most 2 websites');
  number.profile = { ...number.profile, ...changes };
  return { status: 200, body: { success: true } };
}

export function listBlocked({ blocked }: GraphNumber, { query }: GraphRequest): GraphAnswer {
  const limit = Math.max(1, Number(query.get('limit') ?? 10));
  const from = Number(query.get('after') ?? 0);
  const entries = [...blocked].slice(from, from + limit).map((wa_id) => ({ messaging_product: 'whatsapp', wa_id }));
  const after = String(from + limit);
  const paging = from + limit < blocked.size ? { cursors: { after }, next: `block_users?after=${after}` } : {};
  return { status: 200, body: { data: [{ block_users: entries }], paging } };
}

export function block(number: GraphNumber, { method, body }: GraphRequest, now: number): GraphAnswer {
  const given = body['block_users'];
  const users = Array.isArray(given) ? given.filter(isRecord) : [];
  if (users.length === 0) return graphError(100, 'block_users is required');
  const done: object[] = [];
  const failed: object[] = [];
  for (const one of users) {
    const input = String(memberOf(one, 'user') ?? '');
    const wa_id = input.replace(/\D/g, '');
    const wroteAt = number.windows.get(wa_id) ?? Number.NEGATIVE_INFINITY;
    const isAllowed = method === 'DELETE' || (wroteAt + WINDOW_MS > now && number.blocked.size < MAX_BLOCKED);
    if (!isAllowed) failed.push({ input, wa_id, errors: [{ code: 131_047, message: 'Re-engagement required' }] });
    else {
      if (method === 'DELETE') number.blocked.delete(wa_id);
      else number.blocked.add(wa_id);
      done.push({ input, wa_id });
    }
  }
  const block_users = { [method === 'DELETE' ? 'removed_users' : 'added_users']: done, ...(failed.length > 0 && { failed_users: failed }) };
  return { status: 200, body: { messaging_product: 'whatsapp', block_users } };
}
